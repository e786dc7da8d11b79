"""Measures seed batching of ``solutions/associative_recall`` on one GPU. Needs PyTorch; the library is not needed.

    python perf/gpu_recall.py batching DATA OUT.json       seeds per process: whole trials, steps, shares of the card
    python perf/gpu_recall.py learns DATA OUT.json         per-seed recall of softmax attention
    python perf/gpu_recall.py equivalence DATA OUT.json    16 seeds batched and one by one

DATA is a view of the benchmark: ``train.jsonl`` and ``inputs.jsonl``; answers are worked out from the sequences.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median
from typing import Any

SOLUTION = Path(os.environ.get("RECALL_SOLUTION", Path(__file__).parents[1] / "include/solutions/associative_recall"))
sys.path.insert(0, str(SOLUTION))

import evaluation  # noqa: E402
import task  # noqa: E402
import torch  # noqa: E402
from knobs import Knobs  # noqa: E402
from training import Mode, Training, exact  # noqa: E402

PROBE = {"mixer": "attention", "width": 128, "heads": 1, "depth": 2, "batch": 64}
"""The configuration whose speed is measured: 2 layers, d = 128, L = 256, batch 64, 32 pairs."""
LEARNS = {
    **PROBE, "position": "none", "short_conv": 3, "mimetic": True, "learning_rate": 0.003, "beta2": 0.95,
    "curriculum": 0.4, "warmup": 0.05, "schedule": "linear",
}  # fmt: skip
SMALL_STATE = {
    "width": 64, "heads": 2, "depth": 2, "state_size": 8, "batch": 64, "steps": 1000, "position": "none",
    "learning_rate": 0.003, "beta2": 0.95, "warmup": 0.05, "schedule": "linear", "mimetic": True,
}  # fmt: skip
TRIAL_STEPS = int(os.environ.get("TRIAL_STEPS", "1000"))
SEEDS = {"1": 1, "8": 8, "16": 16}


def main() -> None:
    """Run one measurement and write it."""
    what, data, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    measure = {"batching": batching, "learns": learns, "equivalence": equivalence}[what]
    result = {**provenance(), **measure(data)}
    out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def provenance() -> dict[str, Any]:
    """On what, when and how it was measured."""
    return {
        "card": torch.cuda.get_device_name(0),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "command": "python " + " ".join(map(shlex.quote, sys.argv)),
        "torch": torch.__version__,
    }


def batching(data: Path) -> dict[str, Any]:
    """Whole trials as the runner starts them, then steps alone, then what the card could do."""
    rule, _ = task.read(data / "inputs.jsonl")
    knobs = Knobs.of({**LEARNS, "steps": TRIAL_STEPS})
    trial(data, knobs, 1)  # file caches warm, as in every trial but a machine's first
    raw = [{"seeds": n, **trial(data, knobs, n)} for _ in range(3) for n in SEEDS.values()]
    wall = {k: median(r["wall_s"] for r in raw if r["seeds"] == n) for k, n in SEEDS.items()}
    report("trials", wall)
    peak = ceilings()
    steps = [step_time(knobs, rule, n, peak) for n in SEEDS.values()]
    plain = replace(knobs, short_conv=0, position="learned")
    variants = {
        "no_convolution": [step_time(plain, rule, n, peak) for n in SEEDS.values()],
        "mlp_ratio_4": [step_time(replace(knobs, mlp_ratio=4), rule, n, peak) for n in SEEDS.values()],
        "compiled": [step_time(knobs, rule, n, peak, compiled=True) for n in SEEDS.values()],
        "not_deterministic": [step_time(knobs, rule, n, peak, deterministic=False) for n in SEEDS.values()],
        "without_graph": [step_time(knobs, rule, n, peak, graph=False) for n in SEEDS.values()],
    }
    return {
        "configuration": asdict(knobs),
        "wall_s": wall,
        "wall_s_is": f"one trial process from start to exit: {TRIAL_STEPS} training steps, all items answered",
        "ratio_8_to_1": wall["8"] / wall["1"],
        "ratio_16_to_1": wall["16"] / wall["1"],
        "eight_trials_one_by_one_s": 8 * wall["1"],
        "speedup_over_eight_trials": 8 * wall["1"] / wall["8"],
        "step_ratio_8_to_1": steps[1]["ms_per_step"] / steps[0]["ms_per_step"],
        "step_ratio_16_to_1": steps[2]["ms_per_step"] / steps[0]["ms_per_step"],
        "steps": steps,
        "variants": variants,
        "ceilings": peak,
        "kernels_8_seeds": kernels(knobs, rule, 8),
        "raw": raw,
    }


def trial(data: Path, knobs: Knobs, seeds: int) -> dict[str, Any]:
    """One trial process with a bare environment."""
    with tempfile.TemporaryDirectory() as out:
        config = {"params": asdict(knobs), "seeds": list(range(1, seeds + 1)), "stage": "full"}
        environment = {
            "AB_CONFIG_JSON": json.dumps(config), "AB_DATA_DIR": str(data.resolve()), "AB_OUTPUT_DIR": out,
            "PATH": os.environ["PATH"], "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""), "HOME": out,
            "CUBLAS_WORKSPACE_CONFIG": ":4096:8", "OMP_NUM_THREADS": "4",
        }  # fmt: skip
        started = time.perf_counter()
        subprocess.run([sys.executable, "train.py"], cwd=SOLUTION, env=environment, check=True, capture_output=True)
        wall_s = time.perf_counter() - started
        _, items = task.read(data / "inputs.jsonl")
        recalls = [recall(read(Path(out) / f"seed-{seed}"), items) for seed in config["seeds"]]
        metrics = json.loads((Path(out) / "seed-1" / "metrics.json").read_text())["metrics"]
    return {"wall_s": wall_s, "recall": recalls, **metrics}


def read(folder: Path) -> dict[str, list[int]]:
    """Predictions of one seed."""
    lines = (folder / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["id"]: row["answer"] for row in map(json.loads, lines)}


def truth(item: dict[str, Any], pairs: int = 32) -> list[int]:
    """The value of each query, read off the pairs at the sequence's start."""
    tokens = item["tokens"]
    values = dict(zip(tokens[0 : 2 * pairs : 2], tokens[1 : 2 * pairs : 2], strict=True))
    return [values[tokens[place]] for place in item["queries"]]


def shares(said: dict[str, list[int]], items: Iterable[dict[str, Any]]) -> dict[str, float]:
    """Item id -> share of right answers."""
    return {i["id"]: fmean(float(a == b) for a, b in zip(said[i["id"]], truth(i), strict=True)) for i in items}


def recall(said: dict[str, list[int]], items: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Both boards' metrics."""
    short = min(len(item["tokens"]) for item in items)
    halves = {
        True: [i for i in items if len(i["tokens"]) == short],
        False: [i for i in items if len(i["tokens"]) > short],
    }
    return {
        name: fmean(shares(said, half).values())
        for name, half in (("recall", halves[True]), ("recall_long", halves[False]))
    }


def step_time(
    knobs: Knobs, rule: task.Rule, seeds: int, peak: dict[str, float], *, steps: int = 256, **mode: bool
) -> dict[str, Any]:
    """Milliseconds of one training step, data included, and the shares of the card's own rates."""
    settings = replace(Mode.best(), **mode)
    torch.cuda.reset_peak_memory_stats()
    started = time.perf_counter()
    training = Training(replace(knobs, steps=steps, curriculum=0.0), rule, list(range(seeds)), settings)
    seconds = training.run() / steps
    setup_s = time.perf_counter() - started - seconds * steps
    flops, moved = work(knobs, rule, seeds)
    return report("step", {
        "seeds": seeds, **mode, "ms_per_step": 1000 * seconds, "steps_per_s": 1 / seconds,
        "seed_steps_per_s": seeds / seconds, "setup_s": setup_s, "tflops": flops / seconds / 1e12,
        "share_of_matmul": flops / seconds / 1e12 / peak["matmul_tflops"], "least_gb": moved / 1e9,
        "share_of_copy": moved / seconds / 1e9 / peak["copy_gb_per_s"],
        "gpu_gb": torch.cuda.max_memory_allocated() / 2**30,
    })  # fmt: skip


def work(knobs: Knobs, rule: task.Rule, seeds: int) -> tuple[float, float]:
    """Operations of one step's matrix products, and the bytes that its activations move at least, kernel by kernel.

    Operations: 6 per weight and token (2 forward, 4 backward), causal attention at half of 12 L d per token, the head
    at the queries only. Bytes: one activation is tokens x width in bf16; the list below counts reads and writes.
    """
    tokens = seeds * knobs.batch * rule.length
    width = knobs.width
    per_layer = 4 * width**2 + 2 * knobs.mlp_ratio * width**2
    head = seeds * knobs.batch * rule.pairs * width * rule.values
    flops = 6 * tokens * knobs.depth * per_layer + knobs.depth * 6 * tokens * rule.length * width + 6 * head
    norm, projections, attention, out = (2 + 4), (6 + 4 + 6), (4 + 8), (3 + 2 + 2)
    convolution = 5 * (knobs.short_conv - 1) * 2 if knobs.short_conv > 1 else 0
    mlp = (6 + (1 + knobs.mlp_ratio) * 5 + 5 * knobs.mlp_ratio + 2 * (1 + knobs.mlp_ratio)) if knobs.mlp_ratio else 0
    embedding = 2 + 1 + 2 * rule.vocabulary / width
    activations = knobs.depth * (norm + projections + attention + out + convolution + mlp) + embedding
    return float(flops), float(activations * tokens * width * 2)


def ceilings() -> dict[str, float]:
    """What this card reaches: a large bf16 product of random matrices, a large copy (bytes read and written)."""
    n = 8192
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    source = torch.empty(2**31, device="cuda", dtype=torch.uint8).random_()
    target = torch.empty_like(source)
    found = {
        "matmul_tflops": 2 * n**3 / timed(lambda: torch.mm(a, b)) / 1e12,
        "copy_gb_per_s": 2 * source.numel() / timed(lambda: target.copy_(source)) / 1e9,
    }
    return report("ceilings", found)


def timed(call: Any, repeats: int = 20) -> float:
    """Median seconds by device events."""
    spans = []
    for _ in range(3 + repeats):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        spans.append(begin.elapsed_time(end) / 1000)
    return median(spans[3:])


def kernels(knobs: Knobs, rule: task.Rule, seeds: int) -> list[dict[str, Any]]:
    """Where a step's time goes: the kernels that take most of it."""
    from torch.profiler import ProfilerActivity, profile

    training = Training(replace(knobs, steps=64), rule, list(range(seeds)), replace(Mode.best(), graph=False))
    data = training.source.draw(training._chunk(0))
    with exact(True):
        for _ in range(3):
            training._advance(data)
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CUDA]) as seen:
            for _ in range(4):
                training._advance(data)
            torch.cuda.synchronize()
    events = sorted(seen.key_averages(), key=lambda e: -e.self_device_time_total)
    total = sum(e.self_device_time_total for e in events)
    return [
        {"kernel": e.key[:120], "us_per_step": e.self_device_time_total / 4, "calls": e.count / 4,
         "share": e.self_device_time_total / total}
        for e in events[:20]
    ]  # fmt: skip


def learns(data: Path) -> dict[str, Any]:
    """Eight seeds of softmax attention, which solves the task."""
    return {"attention_learns": summary(data, {**LEARNS, "steps": TRIAL_STEPS}, range(1, 9))}


def summary(data: Path, params: dict[str, Any], seeds: Iterable[int]) -> dict[str, Any]:
    """Per-seed recall with mean and 95 % interval (Student's t)."""
    scores = trained(data, params, list(seeds))
    return {
        "params": params,
        "seeds": list(seeds),
        **{metric: interval([score[metric] for score in scores]) for metric in ("recall", "recall_long")},
    }


def interval(values: list[float]) -> dict[str, Any]:
    """Mean of eight seeds with its 95 % interval (Student's t)."""
    mean = fmean(values)
    sd = (sum((v - mean) ** 2 for v in values) / (len(values) - 1)) ** 0.5
    half = 2.365 * sd / len(values) ** 0.5  # t(0.975) with 7 degrees of freedom
    return {"mean": mean, "sd": sd, "interval": [mean - half, mean + half], "seeds": values}


def trained(data: Path, params: dict[str, Any], seeds: list[int]) -> list[dict[str, Any]]:
    """Recall of each seed, all trained in one batch."""
    rule, items = task.read(data / "inputs.jsonl")
    training = Training(Knobs.of(params), rule, seeds, Mode.best())
    training.run()
    return [{**recall(said, items), "items": shares(said, items)} for said in evaluation.predictions(training, items)]


def equivalence(data: Path) -> dict[str, Any]:
    """The same 16 seeds in two batches of eight and one by one; the tests are made from the raw numbers."""
    params = {**SMALL_STATE, "mixer": "linear", "short_conv": 3, "state_size": 16}
    seeds = list(range(101, 117))
    batched = trained(data, params, seeds[:8]) + trained(data, params, seeds[8:])
    again = trained(data, params, seeds[:8])
    separate = [trained(data, params, [seed])[0] for seed in seeds]
    same = all(a["items"] == b["items"] for a, b in zip(batched[:8], again, strict=True))
    report("bit-reproducible", same)
    smaller = trained(data, {**params, "state_size": 8}, list(range(1, 9)))
    kept = [{i: v for i, v in s["items"].items() if int(i[1:]) % 2 == 0} for s in (*batched, *separate)]
    return {
        "params": params, "seeds": seeds, "reproducible_for_the_same_seeds": same,
        "batched": [s["recall"] for s in batched], "separate": [s["recall"] for s in separate],
        "smaller_state": [s["recall"] for s in smaller],
        "items": {"batched": kept[:16], "separate": kept[16:]},
    }  # fmt: skip


def report(what: str, value: Any) -> Any:
    """Say a number as soon as it is known; the machine may be taken away."""
    print(what, json.dumps(value, default=str), flush=True)
    return value


if __name__ == "__main__":
    main()
