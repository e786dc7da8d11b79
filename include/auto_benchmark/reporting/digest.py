"""The weekly digest: where we stand, what changed, what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from auto_benchmark.reporting.render import render


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
