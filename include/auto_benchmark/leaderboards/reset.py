"""Changes of the board itself: another scale, another version, everything recomputed."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from auto_benchmark.leaderboards.alerts import decimals
from auto_benchmark.leaderboards.delta import ChangeType
from auto_benchmark.tables.entry import Entry

Pairs = Sequence[tuple[float, float]]
FEWEST = 4
"""Least entries in common that can speak for the board."""
MOST = 0.8
"""Share of the common entries that must have changed."""
FAR = 0.1
"""Median relative change that no correction explains."""
BOTH_WAYS = 0.1
"""Share of the changes that goes the other way: systems do not all improve and worsen on the same day."""
NOTICEABLE = 0.005
"""Median relative change below which both ways are mere corrections."""
COMMON_FACTOR = 0.01
"""Spread of the ratios within which all scores were multiplied by the same number."""


def board_changed(same: Sequence[tuple[Entry, Entry]], before: int, now: int) -> ChangeType | None:
    """What happened to the board as a whole, if anything.

    Args:
        same: (before, now) of the systems that are on both snapshots.
        before: entries before.
        now: entries now.
    """
    pairs = [(a.score, b.score) for a, b in same if a.score is not None and b.score is not None]
    if version_switched(pairs, before, now):
        return ChangeType.VERSION_SWITCHED
    return ChangeType.METRIC_RESET if rescaled(pairs) else None


def published_finer(pairs: Pairs) -> int | None:
    """Decimals of the old scores when the board now shows more of them, else None.

    80.4 that becomes 80.383 has not changed. It takes half of the board to prove that: 0.80 that becomes 0.82 has.
    """
    places = decimals(*(a for a, _ in pairs))
    finer = sum(1 for a, b in pairs if a != b and round(b, places) == a)
    return places if places and len(pairs) >= FEWEST and finer * 2 >= len(pairs) else None


def version_switched(pairs: Pairs, before: int, now: int) -> bool:
    """The page shows another board: few systems remain, and those with other scores."""
    fewer = min(before, now)
    if fewer < 2 or before < FEWEST:
        return False
    kept = sum(1 for a, b in pairs if _close(a, b))
    return kept < 0.1 * before and kept < 0.5 * now and len(pairs) < 0.5 * before


def rescaled(pairs: Pairs) -> bool:
    """Nearly every common entry changed: all by one factor, in both directions at once, or by far."""
    pairs = [(a, b) for a, b in pairs if a]
    if len(pairs) < FEWEST:
        return False
    changed = [(a, b) for a, b in pairs if a != b]
    if len(changed) < MOST * len(pairs):
        return False
    ratios = [b / a for a, b in changed]
    middle, distance = median(ratios), median(abs(r - 1) for r in ratios)
    one_factor = abs(middle - 1) > FAR and all(abs(r - middle) <= COMMON_FACTOR * abs(middle) for r in ratios)
    fewer = min(sum(r > 1 for r in ratios), sum(r < 1 for r in ratios))
    both_ways = fewer >= BOTH_WAYS * len(ratios) and distance > NOTICEABLE
    return one_factor or both_ways or distance > FAR


def rescored(pairs: Pairs, *, higher_is_better: bool) -> bool:
    """Many entries moved at once, and not all for the better: the owner corrected or re-timed the board."""
    changed = [(a, b) for a, b in pairs if a != b]
    if len(changed) < FEWEST or len(changed) < 0.2 * len(pairs):
        return False
    worse = sum(1 for a, b in changed if (b < a) == higher_is_better)
    return worse > 0


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= 0.005 * max(abs(a), abs(b))
