"""Whether a board has anything left to win.

It has not where what is missing to a perfect score is less than the smallest difference that its items can show, or
where its top five cannot be told apart and submissions keep coming without a gain beyond noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from auto_benchmark.leaderboards.uncertainty import inseparable, standard_error
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.stats.normal import Z95
from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.ranking import ranked

TOP = 5


class SaturationState(StrEnum):
    """What is known of a board."""

    OPEN = "open"
    SATURATED = "saturated"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Saturation:
    """A board's state and the numbers behind it, in the board's unit.

    Attributes:
        headroom: what is missing to the best score that the keys allow.
        smallest: the smallest difference between two of its best systems that its items can show, at 95 %.
    """

    state: SaturationState
    reason: str
    headroom: float | None = None
    smallest: float | None = None


def saturation(board: Leaderboard, entries: Sequence[Entry], fruitless: int) -> Saturation:
    """Judge one board.

    Args:
        board: its declaration; ``items`` says that the metric is a share of so many items.
        entries: of its last good reading.
        fruitless: submissions since the best score last rose by more than noise.
    """
    best = [e for e in ranked(entries, higher_is_better=board.higher_is_better) if e.score is not None]
    if board.items is None:
        return Saturation(SaturationState.UNKNOWN, "the number of its items is not declared")
    if not best:
        return Saturation(SaturationState.UNKNOWN, "it has no entries")
    top = float(best[0].score or 0.0)
    scale = 100.0 if board.unit == "percent" or any((e.score or 0.0) > 1 for e in best) else 1.0
    if not 0 <= top <= scale:
        return Saturation(SaturationState.UNKNOWN, f"its best score, {top:g}, is not a share of its items")
    lost = board.saturation.key_errors * scale
    headroom = round(scale - lost - top if board.higher_is_better else top - lost, 9)
    error = standard_error(best[0], items=board.items, stderr=board.stderr) or 0.0
    smallest = max(Z95 * math.sqrt(2) * error, scale / board.items)
    text = (
        f"{headroom:.4g} is missing to the best possible score; its {board.items} items show {smallest:.2g} at least"
    )
    if headroom < smallest:
        return Saturation(SaturationState.SATURATED, text, headroom, smallest)
    if fruitless >= board.saturation.submissions and _alike(board, best[:TOP]):
        text = f"its top {TOP} cannot be told apart, and {fruitless} submissions brought no gain beyond noise"
        return Saturation(SaturationState.SATURATED, text, headroom, smallest)
    return Saturation(SaturationState.OPEN, text, headroom, smallest)


def within_noise(board: Leaderboard, score: float, other: float) -> bool:
    """Whether two scores of a board cannot be told apart; unknown errors tell all apart that differ."""
    errors = [
        standard_error(Entry(rank=None, system="", score=s), items=board.items, stderr=board.stderr)
        for s in (score, other)
    ]
    return inseparable(score, other, errors[0], errors[1])


def _alike(board: Leaderboard, top: Sequence[Entry]) -> bool:
    """Whether each of the first five is inseparable from the first."""
    errors = [standard_error(e, items=board.items, stderr=board.stderr) for e in top]
    return len(top) == TOP and all(
        inseparable(float(top[0].score or 0.0), float(e.score or 0.0), errors[0], error)
        for e, error in zip(top[1:], errors[1:], strict=True)
    )
