"""Which trials share a process, where a solution trains several seeds at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T")


def seed_batches(trials: Sequence[T], size: int, question: Callable[[T], Hashable]) -> list[list[T]]:
    """Trials that differ in the seed alone together, in order of first appearance.

    Args:
        trials: to run.
        size: most of them in one process.
        question: equal for trials that differ in the seed alone; not asked where ``size`` is 1.
    """
    if size == 1:
        return [[trial] for trial in trials]
    alike: dict[Hashable, list[T]] = {}
    for trial in trials:
        alike.setdefault(question(trial), []).append(trial)
    return [group[i : i + size] for group in alike.values() for i in range(0, len(group), size)]
