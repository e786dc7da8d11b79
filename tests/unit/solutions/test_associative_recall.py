"""The GPU solution on a processor at toy size: its arithmetic against plain loops, its contract with processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from auto_benchmark import documents
from auto_benchmark.registry.solution import Solution

FOLDER = Path(__file__).resolve().parents[3] / "include" / "solutions" / "associative_recall"
MODULES = ("knobs", "task", "layers", "mixers", "model", "weights", "schedule", "training", "evaluation")
RULE = {"blank": 0, "first_key": 1, "keys": 31, "first_value": 32, "values": 32, "pairs": 4, "length": 32}
TOY = {"width": 32, "batch": 16, "steps": 64, "learning_rate": 0.01}


@pytest.fixture(scope="module")
def code() -> Any:
    """The solution's modules, imported as its own process imports them, and taken away again."""
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install -r requirements-gpu.txt")
    torch.set_num_threads(1)
    import importlib

    sys.path.insert(0, str(FOLDER))
    try:
        yield SimpleNamespace(torch=torch, **{name: importlib.import_module(name) for name in MODULES})
    finally:
        sys.path.remove(str(FOLDER))
        for name in MODULES:
            sys.modules.pop(name, None)


def trained(code: Any, seeds: list[int], **params: Any) -> Any:
    mode = code.training.Mode(code.torch.device("cpu"), code.torch.float32, graph=False)
    made = code.training.Training(code.knobs.Knobs.of({**TOY, **params}), code.task.Rule(**RULE), seeds, mode)
    made.run()
    return made


def test_the_yaml_and_the_code_know_the_same_knobs() -> None:
    """Needs no PyTorch."""
    sys.path.insert(0, str(FOLDER))
    try:
        import knobs
    finally:
        sys.path.remove(str(FOLDER))
        sys.modules.pop("knobs", None)
    declared = documents.load(Solution, FOLDER / "solution.yaml")
    assert {f: getattr(knobs.Knobs(), f) for f in knobs.Knobs.__dataclass_fields__} == declared.defaults
    for name, knob in declared.knobs.items():
        limits = knob.choices or (knob.range if knob.range else (False, True))
        assert tuple(limits) == knobs.LIMITS[name], name
    for params, said in (({"mixer": "lstm"}, "mixer"), ({"depth": 9}, "depth"), ({"colour": 1}, "no such knob")):
        with pytest.raises(knobs.KnobError, match=said):
            knobs.Knobs.of(params)


def test_a_seed_has_the_same_data_and_the_same_start_whatever_its_batch_mates(code: Any) -> None:
    rule, cpu = code.task.Rule(**RULE), code.torch.device("cpu")
    together = code.task.Source(rule, [5, 6, 7], 8, cpu).draw([4, 2])
    alone = code.task.Source(rule, [6], 8, cpu).draw([4, 2])
    assert code.torch.equal(together.tokens[:, 1], alone.tokens[:, 0])
    assert not code.torch.equal(together.tokens[:, 0], together.tokens[:, 1])
    plan = code.model.layout(code.knobs.Knobs.of(TOY), rule)
    assert code.torch.equal(plan.initial([5, 6, 7])[1], plan.initial([6])[0])


def test_training_sequences_are_of_the_benchmarks_kind(code: Any) -> None:
    rule = code.task.Rule(**RULE)
    drawn = code.task.Source(rule, [1, 2], 8, code.torch.device("cpu")).draw([4, 3])
    for step, pairs in enumerate((4, 3)):
        for seed in range(2):
            rows = zip(drawn.tokens[step, seed], drawn.queries[step, seed], drawn.targets[step, seed], strict=True)
            for tokens, queries, targets in rows:
                row = tokens.tolist()
                value_of = dict(zip(row[0 : 2 * pairs : 2], row[1 : 2 * pairs : 2], strict=True))
                assert len(value_of) == pairs
                for place, target in zip(queries.tolist(), targets.tolist(), strict=True):
                    if target == code.task.IGNORED:
                        assert row[place] == 0
                    else:
                        assert value_of[row[place]] == target + rule.first_value


@pytest.mark.parametrize("gated", [False, True])
def test_the_chunked_recurrence_is_the_plain_one(code: Any, gated: bool) -> None:
    torch = code.torch
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 1, 192, n, dtype=torch.float64) for n in (3, 3, 5))
    decay = -torch.rand(2, 1, 192, dtype=torch.float64) if gated else None
    state, wanted = torch.zeros(2, 1, 3, 5, dtype=torch.float64), []
    for t in range(192):
        kept = 1.0 if decay is None else decay[:, :, t].exp()[..., None, None]
        state = state * kept + k[:, :, t, :, None] * v[:, :, t, None, :]
        wanted.append((q[:, :, t, None] @ state)[:, :, 0])
    assert torch.allclose(code.mixers.recurrence(q, k, v, decay), torch.stack(wanted, 2), atol=1e-9)


def test_the_chunked_delta_rule_is_the_plain_one(code: Any) -> None:
    torch = code.torch
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 1, 64, n, dtype=torch.float64) for n in (3, 3, 5))
    k, strength = torch.nn.functional.normalize(k, dim=-1), torch.rand(2, 1, 64, dtype=torch.float64)
    state, wanted = torch.zeros(2, 1, 3, 5, dtype=torch.float64), []
    for t in range(64):
        old = (k[:, :, t, None] @ state)[:, :, 0]
        state = state + k[:, :, t, :, None] * (strength[:, :, t, None] * (v[:, :, t] - old))[:, :, None, :]
        wanted.append((q[:, :, t, None] @ state)[:, :, 0])
    assert torch.allclose(code.mixers.replaced(q, k, v, strength), torch.stack(wanted, 2), atol=1e-9)


def test_the_long_convolution_is_the_plain_one(code: Any) -> None:
    torch = code.torch
    torch.manual_seed(0)
    x, filters = torch.randn(1, 2 * 12, 4), torch.randn(1, 8, 4)
    eye, ones = torch.eye(4)[None], torch.ones(1, 4, 4) / 4
    said = code.mixers.convolution(x, {"key": eye, "value": ones, "filter": filters}, batch=2).view(2, 12, 4)
    rows = x.view(2, 12, 4)
    for t in range(12):
        wanted = sum(filters[0, back] * rows[:, t - back] for back in range(min(t + 1, 8)))
        assert torch.allclose(said[:, t], wanted * rows[:, t].mean(-1, keepdim=True), atol=1e-5)


def test_gradients_of_the_building_blocks(code: Any) -> None:
    torch, layers = code.torch, code.layers
    torch.manual_seed(0)

    def draw(*shape: int) -> Any:
        return torch.randn(*shape, dtype=torch.float64, requires_grad=True)

    x, tokens = draw(2, 16, 4), torch.randint(0, 6, (2, 16))
    picks = torch.stack([torch.randperm(16)[:5] for _ in range(2)])
    check = torch.autograd.gradcheck
    assert check(layers.Projections.apply, (x, draw(2, 4, 3), draw(2, 4, 5)))
    assert check(layers.Residual.apply, (x, draw(2, 16, 3), draw(2, 3, 4)))
    assert check(lambda table: layers.Lookup.apply(table, tokens), (draw(2, 6, 4),))
    assert check(lambda rows: layers.Pick.apply(rows, picks), (x,))


@pytest.mark.parametrize("mixer", ["attention", "linear", "gated", "delta", "convolution", "hybrid"])
def test_no_mixer_looks_ahead_or_at_another_seed(code: Any, mixer: str) -> None:
    torch, rule = code.torch, code.task.Rule(**RULE)
    knobs = code.knobs.Knobs.of({**TOY, "mixer": mixer, "heads": 2, "short_conv": 3, "mlp_ratio": 2})
    plan = code.model.layout(knobs, rule)
    weights = plan.cut(plan.initial([1, 2]))
    tokens = torch.randint(0, 64, (2, 3, 32))
    queries = torch.tensor([9, 20]).expand(2, 3, 2)
    before = code.model.answers(weights, knobs, tokens, queries).view(2, 3, 2, -1)
    tokens[0, :, 15:] = 1
    after = code.model.answers(weights, knobs, tokens, queries).view(2, 3, 2, -1)
    assert torch.allclose(before[0, :, 0], after[0, :, 0], atol=1e-5), "position 9 does not see position 15"
    assert not torch.allclose(before[0, :, 1], after[0, :, 1], atol=1e-3)
    assert torch.allclose(before[1], after[1], atol=1e-5)


def test_batched_and_separate_runs_learn_the_same_and_a_run_repeats_to_the_bit(code: Any) -> None:
    params = {"mixer": "attention", "depth": 1, "mimetic": True, "short_conv": 3}
    both, again = trained(code, [1, 2], **params), trained(code, [1, 2], **params)
    assert code.torch.equal(both.weights, again.weights)
    alone = trained(code, [2], **params)
    assert code.torch.allclose(both.weights[1], alone.weights[0], atol=2e-3)
    assert both.shown[0].max() < 2.0, "the loss fell from ln 32 = 3.5"


def test_a_trial_of_two_seeds_obeys_the_contract(code: Any, tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    out.mkdir()
    tokens = [1, 40, 2, 41, 3, 42, 4, 43, *[0] * 24]
    tokens[10], tokens[20] = 2, 4
    rows = [{"context": "rule", **RULE}, {"id": "a", "context": "rule", "tokens": tokens, "queries": [10, 20]}]
    for name in ("train.jsonl", "inputs.jsonl"):
        (data / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    environment = {**os.environ, "AB_DATA_DIR": str(data), "AB_OUTPUT_DIR": str(out), "OMP_NUM_THREADS": "1"}

    def run(**config: Any) -> subprocess.CompletedProcess[str]:
        text = json.dumps({"params": {**TOY, "steps": 32}, **config})
        return subprocess.run(
            [sys.executable, "train.py"], cwd=FOLDER, env={**environment, "AB_CONFIG_JSON": text}, text=True,
            capture_output=True, check=False, timeout=120,
        )  # fmt: skip

    done = run(seeds=[3, 9])
    assert done.returncode == 0, done.stderr
    for seed in (3, 9):
        (line,) = (out / f"seed-{seed}" / "predictions.jsonl").read_text().splitlines()
        said = json.loads(line)
        assert said["id"] == "a" and len(said["answer"]) == 2 and all(32 <= v < 64 for v in said["answer"])
        metrics = json.loads((out / f"seed-{seed}" / "metrics.json").read_text())["metrics"]
        assert metrics["latency_ms"] > 0 and metrics["parameters"] > 1000
        assert json.loads((out / f"seed-{seed}" / "progress.jsonl").read_text().splitlines()[-1])["step"] == 32
    assert "AB_PROGRESS" in done.stdout
    assert run(seed=3).returncode == 0 and (out / "predictions.jsonl").exists()
    answers, checkpoint = (out / "predictions.jsonl").read_bytes(), (out / "checkpoint.bin").read_bytes()
    (data / "train.jsonl").unlink()
    (data / "checkpoint.bin").write_bytes(checkpoint)
    for _ in range(2):
        (out / "predictions.jsonl").unlink()
        assert run(seed=3).returncode == 0 and (out / "predictions.jsonl").read_bytes() == answers
    (data / "checkpoint.bin").write_bytes(checkpoint[:-4])
    cut = run(seed=3)
    assert cut.returncode == 2 and f"not the {len(checkpoint)} of" in cut.stderr and "Traceback" not in cut.stderr
    (data / "checkpoint.bin").unlink()
    refused = run(seed=3, params={"mixer": "lstm"})
    assert refused.returncode == 2 and "mixer" in refused.stderr
    environment["AB_GPUS"] = "1"
    if not code.torch.cuda.is_available():
        lost = run(seed=3)
        assert lost.returncode == 78 and "GPU" in lost.stderr, "no silent training on the processor"
