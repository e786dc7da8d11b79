"""A thousand simulated constructions: what is said about panels whose true accuracies are known.

Each construction searches descriptions with pilot items, chooses on fresh ones and reports on further ones, by the very
functions that ``construct run`` uses. Truth is computed, not simulated. ``construct_honesty.py`` measures the targets alone,
one after the other, and keeps each with what stands already in results/construct_honesty.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from measured import RESULTS, keep

from auto_benchmark.construction.choice import TARGET_ITEMS
from auto_benchmark.construction.mixing import by_fold, ends_around, mixing_share
from auto_benchmark.stats.intervals import wilson_interval
from auto_benchmark.stats.objectives import (
    SEPARABLE_AT,
    Right,
    difficulty,
    equality_p_value,
    separability,
)
from auto_benchmark.stats.simulation.constructions import Null, SimulatedPanel, null_panel, panel_with_gap

CONSTRUCTIONS = 1000
CANDIDATES = 12
PILOT, CHOICE, HALF = 50, 100, 200
"""Items per description in a round and at the choice, and in each of the splits search and gate of a benchmark of 500."""
DESCRIPTIONS = 40
TARGETS = (0.2, 0.5, 0.8)
Progress = Callable[[Iterable[int]], Iterable[int]]


def _constructed(run: int) -> tuple[SimulatedPanel, float, np.random.Generator]:
    """A panel and the difficulty that the search settles on when it wants the hardest of its descriptions."""
    rng = np.random.default_rng(run)
    panel = SimulatedPanel(rng.normal(0, rng.choice([0.0, 0.3, 1.0]), CANDIDATES))
    tried = rng.normal(0, 1, DESCRIPTIONS)
    pilot = [1 - panel.answers(d, PILOT, rng).mean(axis=1).max() for d in tried]
    return panel, float(tried[int(np.argmax(pilot))]), rng


def _separable(right: Right, seed: int) -> bool:
    return equality_p_value(right, seed=seed) <= SEPARABLE_AT


def honesty(progress: Progress) -> dict[str, Any]:
    """Coverage of difficulty, false and true separability; what the paper's forms say beside them."""
    held, held_paper, value, paper, truth = 0, 0, [], [], []
    separable = dict.fromkeys((null.value for null in Null), 0)
    found = 0
    apart: list[bool] = []
    for run in progress(range(CONSTRUCTIONS)):
        panel, chosen, rng = _constructed(run)
        one, other = panel.answers(chosen, HALF, rng), panel.answers(chosen, HALF, rng)
        said, true = difficulty(one, other), float(1 - panel.accuracies(chosen).max())
        held += said.interval[0] <= true <= said.interval[1]
        wrong = round((1 - other.mean(axis=1).max()) * HALF)
        low, high = wilson_interval(wrong, HALF)
        held_paper += low <= true <= high
        value.append(said.value)
        paper.append(1 - float(other.mean(axis=1).max()))
        truth.append(true)
        accuracies = panel.accuracies(chosen)
        both = separability(np.concatenate([one, other], axis=1), seed=run)
        spread = float(np.abs(accuracies - accuracies.mean()).mean())
        low, high = (end + (both.floor or 0.0) for end in both.interval)
        if np.ptp(accuracies) > 0.1:
            apart.append(low <= spread <= high)
        for null in Null:
            separable[null.value] += _separable(null_panel(null, CANDIDATES, 2 * HALF, rng), run)
        found += _separable(panel_with_gap(0.1, CANDIDATES, 2 * HALF, rng), run)
    n = CONSTRUCTIONS
    return {
        "constructions": n, "candidates": CANDIDATES, "items": {"pilot": PILOT, "search": HALF, "gate": HALF},
        "difficulty": {"covered": held / n, "mean": float(np.mean(value)), "truth": float(np.mean(truth)),
                       "paper_mean": float(np.mean(paper)), "paper_covered": held_paper / n},
        "nothing_separable": {name: 1 - count / n for name, count in separable.items()},
        "gap_of_ten_points_found": found / n,
        "separability_of_unlike_candidates": {"covered": float(np.mean(apart)), "constructions": len(apart)},
    }  # fmt: skip


def _crosswise(right: Right) -> float:
    """Difficulty as the search has it: each half of the items chooses and the other reports."""
    one, other = right[:, ::2], right[:, 1::2]
    return (difficulty(one, other).value + difficulty(other, one).value) / 2


def targets(progress: Progress) -> dict[str, Any]:
    """How near the true difficulty comes to each target."""
    return {str(target): reached(target, progress) for target in TARGETS}


def reached(target: float, progress: Progress) -> dict[str, Any]:
    """How near the true difficulty comes to its target, for a newcomer that is as able as the best and tuned nothing."""
    panels, distances = CONSTRUCTIONS, []
    for run in progress(range(panels)):
        rng = np.random.default_rng(10_000 + run)
        panel = SimulatedPanel(rng.normal(0, 0.7, CANDIDATES))
        newcomer = np.array([panel.ability.max()])
        tried = np.sort(rng.uniform(-3, 4, DESCRIPTIONS))
        pilot = [_crosswise(panel.answers(d, PILOT, rng)) for d in tried]
        ends = [tried[i] for i in ends_around(pilot, target)]
        fresh = [by_fold(panel.answers(d, TARGET_ITEMS * PILOT, rng))[:, None] for d in ends]
        share = mixing_share(fresh[0], fresh[1], np.ones(1), target)
        true = [float(1 - panel.accuracies(d, newcomer)[0]) for d in ends]
        distances.append((1 - share) * true[0] + share * true[1] - target)
    return {
        "panels": panels, "mean_distance": float(np.mean(np.abs(distances))), "bias": float(np.mean(distances)),
        "within_.05": float(np.mean(np.abs(distances) <= 0.05)),
    }  # fmt: skip


def measure(progress: Progress) -> dict[str, Any]:
    """Both, with what has to hold."""
    told = {**honesty(progress), "targets": targets(progress)}
    return {**told, "wrong": faults(told)}


def faults(told: dict[str, Any]) -> list[str]:
    """What does not hold."""
    wrong = []
    if told["difficulty"]["covered"] < 0.93:
        wrong.append(f"difficulty covered in {told['difficulty']['covered']:.3f}")
    nothing = told["nothing_separable"]
    wrong += [f"{name}: nothing separable in {share:.3f}" for name, share in nothing.items() if share < 0.95]
    if told["gap_of_ten_points_found"] < 0.8:
        wrong.append(f"gap found in {told['gap_of_ten_points_found']:.3f}")
    wrong += [
        f"target {t}: {row['mean_distance']:.3f} away" for t, row in told["targets"].items() if row["mean_distance"] > 0.05
    ]  # fmt: skip
    wrong += [f"target {t}: within .05 in {row['within_.05']:.3f}"
              for t, row in told["targets"].items() if row["within_.05"] < 0.9]  # fmt: skip
    return wrong


if __name__ == "__main__":
    for target in TARGETS:
        kept = json.loads((RESULTS / "construct_honesty.json").read_text("utf-8"))
        kept = {name: value for name, value in kept.items() if name not in {"date", "command"}}
        kept["targets"] = {**kept["targets"], str(target): reached(target, iter)}
        keep(
            "construct_honesty",
            {**kept, "wrong": faults(kept), "targets_command": "python perf/construct_honesty.py"},
        )
