"""Where we stand on a board, in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from auto_benchmark.reporting.render import number, signed


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
