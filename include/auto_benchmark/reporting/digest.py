"""The weekly digest: where we stand, what changed, what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from auto_benchmark.reporting.render import number, render, signed


@dataclass(frozen=True, slots=True)
class Position:
    """Where we stand on a board. ``gap`` is oriented: positive is a lead over #2, negative what is missing to #1."""

    board: str
    rank: int | None
    score: float | None
    gap: float | None
    is_stale: bool = False

    @property
    def mark(self) -> str:
        """The sign behind the rank."""
        return "✅" if self.rank == 1 else "⚠️"

    @property
    def line(self) -> str:
        """The whole position in words, without markup."""
        if self.rank is None:
            return f"{self.board}: not listed (our score: {number(self.score)})"
        gap = "" if self.gap is None else f" | gap to #{2 if self.rank == 1 else 1}: {signed(self.gap)}"
        stale = " — stale" if self.is_stale else ""
        return f"{self.board}: #{self.rank} {self.mark} (our score: {number(self.score)}{gap}){stale}"


@dataclass(frozen=True, slots=True)
class Digest:
    """Everything that the digest says."""

    week: date
    positions: Sequence[Position]
    changes: Sequence[str]
    next_actions: Sequence[str]
    completed: int
    failed_validation: int
    promoted: int
    escalations: Sequence[str] = field(default=())


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
    }
