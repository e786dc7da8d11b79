"""One row of a board while it is being read: mutable, unranked, cheap."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

UNNAMED = "—"
"""Stands for a system that has a score but no name: it holds a place in the ranking."""


@dataclass(slots=True)
class Draft:
    """What becomes an entry once the whole board is known."""

    system: str
    score: float | None
    stderr: float | None = None
    metrics: dict[str, float | None] = field(default_factory=dict)
    date: str | None = None
    note: str | None = None
    written: str | None = None
    url: str | None = None

    @property
    def key(self) -> str:
        """What tells the systems of one document apart: rows that only look alike are not one system's."""
        return self.system if self.written is None else f"{self.system}\n{self.written}"

    def at(self, rank: int | None) -> dict[str, Any]:
        """The fields of the :class:`Entry` at a rank; a whole board of them is validated at once."""
        return {
            "rank": rank,
            "system": self.system,
            "score": self.score,
            "stderr": self.stderr,
            "metrics": self.metrics,
            "date": self.date,
            "written": self.written,
            "note": self.note,
            "url": self.url,
        }
