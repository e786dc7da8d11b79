"""The order of sequence mixers at a small state, each at its own best learning rate. Needs PyTorch and one GPU.

    python perf/gpu_mixers.py SEARCH_VIEW GATE_VIEW OUT.json

As Zoology (Arora et al. 2023) does it: the same model and data for every mixer, the learning rate swept for each one.
Linear mixers also choose their feature map. Choices are made by the mean recall of :data:`TUNING_SEEDS` on the search
view; what is reported are other seeds on the gate view. Parts that OUT.json already holds are not measured again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Any

import gpu_recall
import torch

SETTING = {
    "width": 64, "heads": 2, "depth": 2, "state_size": 8, "batch": 64, "steps": 2000, "position": "none",
    "beta2": 0.95, "warmup": 0.05, "schedule": "linear", "curriculum": 0.4, "mimetic": True,
}  # fmt: skip
RATES = (0.001, 0.0022, 0.0046, 0.01, 0.022)
FEATURE_MAPS = ("elu", "relu", "identity")
LINEAR = {"linear", "gated", "delta", "hybrid"}
MIXERS = ("attention", "delta", "gated", "linear", "hybrid", "convolution")
STATES = (4, 16, 32)
LONGER = 4000
TASKS = ((4, 64), (8, 128), (16, 256), (32, 256))
"""Pairs and length of easier tasks, the last one the benchmark's."""
TUNING_SEEDS, SEEDS = range(101, 105), range(1, 9)
PROCESSES = 3
"""They share the GPU: one evaluates on the processor while another trains."""
Row = dict[str, Any]
Mapped = Callable[..., Iterator[Any]]


def main() -> None:
    """Tune, then measure; everything that was tried is written down."""
    search, gate, out = (Path(name) for name in sys.argv[1:4])
    found: Row = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {"tuning": []}
    found = {**found, **gpu_recall.provenance(), "setting": SETTING, "tuned_on": list(TUNING_SEEDS)}
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:

        def keep(part: str, names: list[str], rows: Iterator[Row]) -> None:
            for name, row in zip(names, rows, strict=True):
                found.setdefault(part, {})[name] = gpu_recall.report(name, row)
                out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")

        tune(search, found["tuning"], pool.map)
        best = {label(row): chosen(row) for row in sorted(found["tuning"], key=by_merit)}
        for part, plans in parts(best).items():
            if len(found.get(part, {})) < len(plans):
                views, seeds = [gate] * len(plans), [SEEDS] * len(plans)
                keep(part, list(plans), pool.map(measured, views, plans.values(), seeds))
        easier = easier_tasks(best)
        if len(found.get("by_pairs", {})) < len(easier):
            keep("by_pairs", list(easier), pool.map(on_easier_task, [gate] * len(easier), easier.values()))


def easier_tasks(best: dict[str, Row]) -> dict[str, tuple[Row, int, int]]:
    """Every mixer with a convolution on every task; long convolutions, which learn none at 32 pairs, at all rates."""
    rates = {
        name: (RATES if name.startswith("convolution") else (row["learning_rate"],)) for name, row in best.items()
    }
    return {
        f"{name}, {pairs} pairs in {length}, rate {rate}": ({**best[name], "learning_rate": rate}, pairs, length)
        for (pairs, length), name in product(TASKS, best)
        for rate in rates[name]
        if name.endswith("+conv")
    }


def by_merit(row: Row) -> tuple[float, float]:
    """Better candidates last; of equals the one with the smaller learning rate."""
    return row["recall"], -row["learning_rate"]


def parts(best: dict[str, Row]) -> dict[str, dict[str, Row]]:
    """What is measured on the benchmark: every mixer, three of them by state, those with a convolution for longer."""
    return {
        "mixers": best,
        "by_state": {
            f"{name}+conv, state {size}": {**best[f"{name}+conv"], "state_size": size}
            for size, name in product(STATES, ("linear", "gated", "delta"))
        },
        "longer": {name: {**row, "steps": LONGER} for name, row in best.items() if name.endswith("+conv")},
    }


def tune(search: Path, known: list[Row], mapped: Mapped) -> None:
    """Add the mean recall of every candidate that is not among ``known`` yet."""
    before = [{name: value for name, value in row.items() if name != "recall"} for row in known]
    grid = [params for name in MIXERS for params in candidates(name) if params not in before]
    scores = mapped(tuned, [search] * len(grid), map(chosen, grid))
    known += [{**params, "recall": score} for params, score in zip(grid, scores, strict=True)]


def candidates(mixer: str) -> list[Row]:
    """What is tried for one mixer with and without a short convolution in front."""
    maps = FEATURE_MAPS if mixer in LINEAR else FEATURE_MAPS[:1]
    tried = [{"feature_map": f, "learning_rate": r, "short_conv": 3} for f, r in product(maps, RATES)]
    if mixer != "hybrid":  # whose first layer is a convolution anyway
        tried += [{"feature_map": "elu", "learning_rate": r, "short_conv": 0} for r in RATES[1:4]]
    return [{"mixer": mixer, **each} for each in tried]


def tuned(data: Path, params: Row) -> float:
    """Mean recall of the tuning seeds."""
    scores = gpu_recall.trained(data, params, list(TUNING_SEEDS))
    torch.cuda.empty_cache()
    told = " ".join(str(params[name]) for name in ("mixer", "short_conv", "feature_map", "learning_rate"))
    return float(gpu_recall.report(told, fmean(score["recall"] for score in scores)))


def measured(data: Path, params: Row, seeds: range) -> Row:
    """Recall of each seed with mean and interval, and the size of a layer's memory."""
    return {**gpu_recall.summary(data, params, seeds), "state": state(params)}


def on_easier_task(data: Path, plan: tuple[Row, int, int]) -> Row:
    """Recall of each seed on fresh sequences of the task that it was trained on."""
    import model  # which gpu_recall has made importable

    params, pairs, length = plan
    rule, _ = gpu_recall.task.read(data / "inputs.jsonl")
    easier, knobs = replace(rule, pairs=pairs, length=length), gpu_recall.Knobs.of(params)
    training = gpu_recall.Training(knobs, easier, list(SEEDS), gpu_recall.Mode.best())
    training.run()
    fresh = training.source.draw([pairs] * 8)
    right = []
    with torch.no_grad():
        for tokens, queries, targets in zip(fresh.tokens, fresh.queries, fresh.targets, strict=True):
            said = model.answers(training.tensors(), knobs, tokens, queries).argmax(-1)
            right.append((said.view(targets.shape) == targets).float().mean((1, 2)))
    return {"pairs": pairs, "length": length, "recall": gpu_recall.interval(torch.stack(right).mean(0).tolist())}


def chosen(row: Row) -> Row:
    """A row of the tuning table as parameters."""
    return {**SETTING, **{name: value for name, value in row.items() if name != "recall"}}


def label(row: Row) -> str:
    """How the results call it."""
    return f"{row['mixer']}+conv" if row["short_conv"] else str(row["mixer"])


def state(params: Row) -> int:
    """Numbers that a layer remembers between two positions of a sequence of the training length."""
    if params["mixer"] in LINEAR:
        return int(params["state_size"] * params["width"])
    return int(256 * params["width"] * (2 if params["mixer"] == "attention" else 1))


if __name__ == "__main__":
    main()
