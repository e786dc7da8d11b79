"""The weekly digest: where we stand, what changed, what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from auto_benchmark.reporting.render import number, render, signed


@dataclass(frozen=True, slots=True)
class Position:
    """Where we stand on a board. ``gap`` is oriented: positive is a lead over #2, negative what is missing to #1.

    ``seen_at`` is when a good reading last confirmed it; None when never. ``measured`` is our own score of production in
    the board's unit.
    """

    board: str
    rank: int | None
    score: float | None
    gap: float | None
    is_stale: bool = False
    seen_at: datetime | None = None
    measured: float | None = None

    @property
    def own(self) -> str:
        """Our own measurement of production, where it is known and not what the board shows."""
        is_news = self.measured is not None and number(self.measured) != number(self.score)
        return f", production measured by us: {number(self.measured)}" if is_news else ""

    @property
    def mark(self) -> str:
        """The sign behind the rank."""
        return "✅" if self.rank == 1 else "⚠️"

    @property
    def line(self) -> str:
        """The whole position in words, without markup."""
        return self.board + self.standing

    @property
    def standing(self) -> str:
        """What follows the board's name: numbers and our own words, nothing from outside."""
        if self.rank is None:
            return f": not listed (our score: {number(self.score)}{self.own})"
        gap = "" if self.gap is None else f" | gap to #{2 if self.rank == 1 else 1}: {signed(self.gap)}"
        stale = " — stale" if self.is_stale else ""
        return f": #{self.rank} {self.mark} (our score: {number(self.score)}{gap}{self.own}){stale}"


MOST_CHANGES = 12
MOST_ACTIONS = 8
MOST_BRIEFS = 5


@dataclass(frozen=True, slots=True)
class Digest:
    """Everything that the digest says; ``changes`` come most important first."""

    week: date
    positions: Sequence[Position]
    changes: Sequence[str]
    next_actions: Sequence[str]
    completed: int
    failed_validation: int
    promoted: int
    escalations: Sequence[str] = field(default=())
    briefs: Sequence[str] = field(default=())

    @property
    def shown_changes(self) -> list[str]:
        """The changes that a reader of the file needs; how many more there are, and where."""
        return _shown(self.changes, MOST_CHANGES, "changes: reports/gap_matrix.md and the page Benchmark have all")

    @property
    def shown_actions(self) -> list[str]:
        """The head of the queue."""
        return _shown(self.next_actions, MOST_ACTIONS, "in the queue: TECHNICAL_LOG.md has all, with their scores")

    @property
    def shown_briefs(self) -> list[str]:
        """What papers credit and no knob maps, the most promising first."""
        return _shown(self.briefs, MOST_BRIEFS, "papers: `auto-benchmark hypothesis list` has all")


def _shown(lines: Sequence[str], most: int, rest: str) -> list[str]:
    return [*lines[:most], *([f"… and {len(lines) - most} more {rest}"] if len(lines) > most else [])]


def render_digest(digest: Digest) -> str:
    """The digest in the mission's format."""
    return render("digest.md.j2", digest=digest)


def facts_of(digest: Digest) -> dict[str, Any]:
    """What the digest says, as it is stored: Slack tells the same lines."""
    return {
        "positions": [{"board": p.board, "rank": p.rank, "score": p.score} for p in digest.positions],
        "lines": [p.line for p in digest.positions],
        "changes": list(digest.changes),
        "next_actions": list(digest.next_actions),
        "completed": digest.completed,
        "failed_validation": digest.failed_validation,
        "promoted": digest.promoted,
        "escalations": list(digest.escalations),
        "briefs": list(digest.briefs),
    }
