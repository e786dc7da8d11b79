"""What work costs, as a ratio to other work of the same process: seconds say more about the machine than the code."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf

LEAST_S = 0.05
"""Of processor time. Input of the full size that costs less is cheap enough, and too short for a ratio."""
ROUNDS = 6
"""A busy machine can spoil some of them, not all: the best of each side counts."""


def assert_costs_at_most(
    times: float, work: Callable[[], object], *, than: Callable[[], object], least_s: float = 0.0
) -> None:
    """``work`` takes at most ``times`` as much processor time as ``than``, or no more than ``least_s`` seconds."""
    ours = theirs = inf
    for _ in range(ROUNDS):
        theirs, ours = min(theirs, _cost(than)), min(ours, _cost(work))
        if ours <= max(times * theirs, least_s):
            return
    raise AssertionError(f"{ours:.3f} s is {ours / theirs:.1f} times {theirs:.3f} s, and {times:g} times is allowed")


def assert_grows_linearly(work: Callable[[int], object], size: int) -> None:
    """Four times the size costs about four times as much; a cost that grows with the square would be sixteen times.

    Args:
        work: does the work at a size; what is made for it counts, too.
        size: the larger of the two sizes.
    """
    assert_costs_at_most(8, lambda: work(size), than=lambda: work(size // 4), least_s=LEAST_S)


def _cost(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
