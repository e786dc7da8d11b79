"""Where a technical log doubts itself: what a reader should know before the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from auto_benchmark.promotion.schema import Decision
from auto_benchmark.reporting.position import Position
from auto_benchmark.reporting.words import MINUTES

MOST_DOUBTS = 5


def stale(positions: Sequence[Position]) -> list[str]:
    """Boards whose last good reading is too old to rely on."""
    return [
        f"{p.board}: {_last_read(p.seen_at)}; what stands here of it may have changed"
        for p in positions
        if p.is_stale
    ]


def about(hypothesis: str, decision: Decision | None, *, is_rejected: bool, is_perfect: bool) -> list[str]:
    """What is odd about one experiment's outcome.

    Args:
        hypothesis: its id.
        decision: the last one.
        is_rejected: whether it ended without a role.
        is_perfect: whether the candidate scored 1 of 1 with every seed.
    """
    found = []
    rows = {c.name: c for c in decision.criteria} if decision else {}
    better, first = rows.get("improvement"), rows.get("projection")
    if is_rejected and better and better.passed and first and first.passed and first.value is not None:
        failed = " and ".join(c.name.replace("_", " ") for c in rows.values() if not c.passed) or "no criterion"
        found.append(
            f"{hypothesis} is rejected, though better and projected to be #1 (P {first.value:.2f}): {failed} failed"
        )
    if is_perfect:
        found.append(
            f"{hypothesis} scores 1 with every seed, the metric's ceiling: a better one could not be told from it"
        )
    return found


def shown(doubts: Sequence[str]) -> list[str]:
    """The first few, and how many more there are."""
    more = len(doubts) - MOST_DOUBTS
    return [*doubts[:MOST_DOUBTS], *([f"… and {more} more: see the experiments"] if more > 0 else [])]


def _last_read(at: datetime | None) -> str:
    return "never read" if at is None else f"stale, last good reading {at.strftime(MINUTES)}"
