"""The gate's own decision on stored trials, without reading their items anew for each of a hundred thousand decisions.

What the gate makes of items first, tables of numbers, is kept by trial; all else is the gate's. :func:`checked` compares
with the gate as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from edited_trials import Right

from auto_benchmark.promotion import measurement
from auto_benchmark.promotion.gate import decide
from auto_benchmark.promotion.schema import Decision, Evidence, Observation
from auto_benchmark.stats.two_level import ItemNoise, item_noise

_tables: dict[int, np.ndarray] = {}


def stored(right: Right) -> Observation:
    """A stored trial as the gate sees it, its items known by their dictionary; keep it, so that none takes its place."""
    found = right.observation(0)
    _tables[id(found.items)] = np.frombuffer(right.bits.encode(), np.uint8) - float(ord("0"))
    return found


def _items(
    candidate: Sequence[Observation], control: Sequence[Observation], _: str
) -> tuple[ItemNoise | None, float]:
    ours, theirs = (np.array([_tables[id(each.items)] for each in side]) for side in (candidate, control))
    return item_noise(ours, theirs), float(ours.mean(axis=0).var(ddof=1)) / ours.shape[1]


def _resolution(trials: Sequence[Observation], _: str) -> tuple[float | None, int]:
    count = len(trials[0].items or {})
    return 1.0 / count, count


@contextmanager
def quick() -> Iterator[None]:
    """While open, the gate takes the kept tables."""
    kept: dict[str, Any] = {name: getattr(measurement, name) for name in ("_items", "_resolution")}
    measurement._items, measurement._resolution = _items, _resolution
    try:
        yield
    finally:
        for name, function in kept.items():
            setattr(measurement, name, function)


def checked(evidence: Evidence, alpha: float) -> Decision:
    """The quick decision; AssertionError where the gate itself decides otherwise."""
    with quick():
        fast = decide(evidence, alpha=alpha)
    slow = decide(evidence, alpha=alpha)
    assert (fast.verdict, fast.n) == (slow.verdict, slow.n), (fast.reason, slow.reason)
    assert np.isclose(fast.estimate or 0.0, slow.estimate or 0.0)
    return slow
