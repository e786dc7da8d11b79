"""A table as a source hands it over: named columns, rows of cells, and where it was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from auto_benchmark.tables.refusal import ReadRefused, Reason

Cell = str | int | float | bool | None
"""Text (its blocks separated by newlines: the first block of a name cell is the name) or a typed JSON value."""

KEY_COLUMN = "<key>"
VALUE_COLUMN = "<value>"
LEVEL = " / "
"""Joins the rows of a header that has several."""


class Attributed(str):
    """The text of a cell that has attributes which a spec asks for.

    Attributes:
        attributes: name in lower case -> value.
    """

    __slots__ = ("attributes",)
    attributes: Mapping[str, str]

    def __new__(cls, text: str, attributes: Mapping[str, str]) -> Attributed:
        """The text with its cell's attributes."""
        made = super().__new__(cls, text)
        made.attributes = attributes
        return made


MOST_FILLED = 2_000_000
"""Cells that short rows of a document may be filled up with: a header may be as long as the document allows."""


@dataclass(slots=True)
class Table:
    """Rows of cells under named columns.

    Attributes:
        columns: names, top-down levels joined by ``" / "`` (HTML) or ``"."`` (JSON).
        rows: cells; every row has one cell per column.
        label: how a person finds the table ("table 2, below heading 'Results'").
        locate: the locator to paste into a spec.
        rejected: rows that could not be laid over the columns, with the reason.
        blank: rows without any text, as pages have them before their script fills them in.
        notes: what the reader of the spec should know ("3 hidden rows left out").
        headings: headings above the table, outermost first.
        filled: cells that short rows were filled up with.
    """

    columns: list[str]
    rows: list[list[Any]]
    label: str = "the document"
    locate: dict[str, Any] = field(default_factory=dict)
    rejected: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    headings: tuple[str, ...] = ()
    blank: int = 0
    filled: int = 0

    def add_filled(self, row: list[Any]) -> None:
        """Add a row, filled up with empty cells.

        Raises:
            ReadRefused: that would be more than :data:`MOST_FILLED` in all.
        """
        short = len(self.columns) - len(row)
        self.filled += short
        if self.filled > MOST_FILLED:
            raise ReadRefused(Reason.TOO_LARGE, f"short rows would be filled up with more than {MOST_FILLED} cells")
        self.rows.append(row + [""] * short)

    def column(self, index: int) -> list[Any]:
        """All cells of one column."""
        return [row[index] for row in self.rows]
