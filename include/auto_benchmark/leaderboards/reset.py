"""Changes of the board itself: another scale, another version, everything recomputed."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

Pairs = Sequence[tuple[float, float]]
FEWEST = 4
"""Least entries in common that can speak for the board."""
MOST = 0.8
"""Share of the common entries that must have changed."""
FAR = 0.1
"""Median relative change that no correction explains."""
COMMON_FACTOR = 0.01
"""Spread of the ratios within which all scores were multiplied by the same number."""


def version_switched(pairs: Pairs, before: int, now: int) -> bool:
    """The page shows another board: few systems remain, and those with other scores."""
    fewer = min(before, now)
    if fewer < 2 or before < FEWEST:
        return False
    kept = sum(1 for a, b in pairs if _close(a, b))
    return kept < 0.1 * before and kept < 0.5 * now and len(pairs) < 0.5 * before


def rescaled(pairs: Pairs) -> bool:
    """Nearly every common entry changed: all by one factor, or so much that the metric must be another."""
    pairs = [(a, b) for a, b in pairs if a]
    if len(pairs) < FEWEST:
        return False
    changed = [(a, b) for a, b in pairs if a != b]
    if len(changed) < MOST * len(pairs):
        return False
    ratios = [b / a for a, b in changed]
    middle = median(ratios)
    one_factor = abs(middle - 1) > FAR and all(abs(r - middle) <= COMMON_FACTOR * abs(middle) for r in ratios)
    return one_factor or median(abs(r - 1) for r in ratios) > FAR


def rescored(pairs: Pairs, *, higher_is_better: bool) -> bool:
    """Many entries moved at once, and not all for the better: the owner corrected or re-timed the board."""
    changed = [(a, b) for a, b in pairs if a != b]
    if len(changed) < FEWEST or len(changed) < 0.2 * len(pairs):
        return False
    worse = sum(1 for a, b in changed if (b < a) == higher_is_better)
    return worse > 0


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= 0.005 * max(abs(a), abs(b))
