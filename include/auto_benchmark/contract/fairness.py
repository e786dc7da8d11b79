"""Fairness: how a solution does on the slice where it does worst, and how far its slices lie apart.

Both are extremes over slices, so noise alone pushes them apart: the smaller the slices, the larger a gap between equal
ones. A slice therefore counts from :data:`MINIMUM_ITEMS` items on, where the standard error of a share is at most
sqrt(0.25 / 30) = 0.09; of k equal slices of that size the expected gap is still 0.10 (two) to 0.25 (seven) at a share of
one half. So compare a gap with production's on the same items, as guards do, and not with zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from auto_benchmark.contract.scoring import Scores
from auto_benchmark.registry.slice_metrics import SLICE_GAP, WORST_SLICE

MINIMUM_ITEMS = 30
"""Items of a slice below which its score says too little to count."""


def with_fairness(scores: Scores, answers: Mapping[str, Any], metric: str, *, higher_is_better: bool) -> Scores:
    """Add ``worst_slice`` and ``slice_gap`` where at least two slices are large enough.

    Args:
        scores: with the primary metric of each slice.
        answers: item id -> answer; ``slice`` or ``slices`` in it names the parts that the item belongs to. A slice of
            the scorer that no answer names has no known size and does not count.
        metric: the benchmark's primary one.
        higher_is_better: its direction. ``worst_slice`` keeps its unit and direction; a lower ``slice_gap`` is better.

    Returns:
        The scores; what the scorer itself gives under these names stands.
    """
    sizes = Counter(name for answer in answers.values() for name in _slices(answer))
    values = [
        table[metric] for name, table in scores.slices.items() if sizes[name] >= MINIMUM_ITEMS and metric in table
    ]
    if len(values) < 2:
        return scores
    found = {WORST_SLICE: min(values) if higher_is_better else max(values), SLICE_GAP: max(values) - min(values)}
    return scores.model_copy(update={"metrics": found | scores.metrics})


def _slices(answer: object) -> set[str]:
    """Slices that an answer names; whatever else a benchmark keeps under these keys names none."""
    if not isinstance(answer, Mapping):
        return set()
    several = answer.get("slices")
    named = [answer.get("slice"), *(several if isinstance(several, list | tuple) else ())]
    return {name for name in named if isinstance(name, str)}
