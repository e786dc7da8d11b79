"""The order of sequence mixers at a small state, each at its own best learning rate. Needs PyTorch and one GPU.

    python perf/gpu_mixers.py SEARCH_VIEW GATE_VIEW OUT.json

As Zoology (Arora et al. 2023) does it: the same model and data for every mixer, the learning rate swept for each one.
Linear mixers also choose their feature map. Choices are made by the mean recall of :data:`TUNING_SEEDS` on the search
view; what is reported are other seeds on the gate view. What OUT.json says was tuned before is not tuned again.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
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
STATES = (4, 8, 16, 32)
TUNING_SEEDS, SEEDS = range(101, 105), range(1, 9)
PROCESSES = 3
"""They share the GPU: one evaluates on the processor while another trains."""


def main() -> None:
    """Tune, then measure; everything that was tried is written down."""
    search, gate, out = (Path(name) for name in sys.argv[1:4])
    started = time.monotonic()
    before = json.loads(out.read_text(encoding="utf-8"))["tuning"] if out.exists() else []
    found: dict[str, Any] = {
        **gpu_recall.provenance(), "setting": SETTING, "tuned_on": list(TUNING_SEEDS), "tuning": before,
    }  # fmt: skip
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        known = [untuned(row) for row in before]
        grid = [params for name in MIXERS for params in candidates(name) if params not in known]
        scores = list(pool.map(tuned, [search] * len(grid), map(chosen, grid)))
        found["tuning"] += [{**params, "recall": score} for params, score in zip(grid, scores, strict=True)]
        out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        best = {
            (name, taps): max((t for t in found["tuning"] if (t["mixer"], t["short_conv"]) == (name, taps)),
                              key=lambda t: t["recall"])
            for name, taps in product(MIXERS, (0, 3)) if taps or name != "hybrid"
        }  # fmt: skip
        plans = {label(name, taps): chosen(row) for (name, taps), row in best.items()}
        for size in STATES:
            for name in ("linear", "gated", "delta") if size != SETTING["state_size"] else ():
                plans[f"{name}+conv, state {size}"] = {**chosen(best[name, 3]), "state_size": size}
        for summary, name in zip(
            pool.map(gpu_recall.summary, [gate] * len(plans), plans.values(), [SEEDS] * len(plans)),
            plans,
            strict=True,
        ):
            place = "by_state" if "state" in name else "mixers"
            found.setdefault(place, {})[name] = gpu_recall.report(
                name, {**summary, "state": state(summary["params"])}
            )
            out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    found["seconds"] = time.monotonic() - started
    out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def candidates(mixer: str) -> list[dict[str, Any]]:
    """What is tried for one mixer with and without a short convolution in front."""
    maps = FEATURE_MAPS if mixer in LINEAR else FEATURE_MAPS[:1]
    tried = [{"feature_map": f, "learning_rate": r, "short_conv": 3} for f, r in product(maps, RATES)]
    if mixer != "hybrid":  # whose first layer is a convolution anyway
        tried += [{"feature_map": "elu", "learning_rate": r, "short_conv": 0} for r in RATES[1:4]]
    return [{"mixer": mixer, **each} for each in tried]


def tuned(data: Path, params: dict[str, Any]) -> float:
    """Mean recall of the tuning seeds."""
    scores = gpu_recall.trained(data, params, list(TUNING_SEEDS))
    torch.cuda.empty_cache()
    told = " ".join(str(params[name]) for name in ("mixer", "short_conv", "feature_map", "learning_rate"))
    return float(gpu_recall.report(told, fmean(score["recall"] for score in scores)))


def chosen(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the tuning table as parameters."""
    return {**SETTING, **untuned(row)}


def untuned(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the tuning table without its result."""
    return {name: value for name, value in row.items() if name != "recall"}


def label(mixer: str, taps: int) -> str:
    """How the results call it."""
    return f"{mixer}+conv" if taps else mixer


def state(params: dict[str, Any]) -> int:
    """Numbers that a layer remembers between two positions of a sequence of the training length."""
    if params["mixer"] in LINEAR:
        return int(params["state_size"] * params["width"])
    return int(256 * params["width"] * (2 if params["mixer"] == "attention" else 1))


if __name__ == "__main__":
    main()
