"""A board as it was read: its entries, best first, in the document's own unit."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from auto_benchmark.documents import Strict
from auto_benchmark.registry.names import Number


class Entry(Strict):
    """One row of a board.

    Attributes:
        rank: competition rank (1, 1, 3) by score; None for a listed system without a score.
        system: name as published, without medals, links or marks.
        score: primary metric in the document's unit; None when not given.
        stderr: standard error of the score, where published or derivable.
        metrics: other numbers of the row by column name.
        date: date of the submission as published; the same date with another score is a correction.
        written: name as the document writes it, where it holds hidden characters or markup that ``system`` does not show.
        url: link of the entry, where the spec names a column for it; it may outlive the name.
        note: footnote marks and other text cut from the cells.
    """

    rank: int | None
    system: str
    score: Number | None
    stderr: Number | None = None
    metrics: dict[str, Number | None] = {}
    date: str | None = Field(default=None, exclude=True)
    written: str | None = Field(default=None, exclude=True)
    url: str | None = Field(default=None, exclude=True)
    note: str | None = None


class ParsedBoard(Strict):
    """Output of ``leaderboard parse``.

    Attributes:
        unscored: systems that are listed without a score. They are known, but take part in no ranking.
        spec: what was found, ready to paste into the registry.
    """

    board: str
    metric: str
    higher_is_better: bool
    entries: list[Entry]
    unscored: list[str] = Field(default=[], exclude=True)
    warnings: list[str] = []
    spec: dict[str, Any] = {}
