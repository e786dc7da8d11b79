"""Work in progress on one table: what was asked, what was found, what went wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from auto_benchmark.registry.leaderboard import Column, ColumnPattern, Leaderboard
from auto_benchmark.tables.columns import find, shown
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.select import column_name
from auto_benchmark.tables.table import Table


@dataclass
class Reading:
    """What is known so far.

    Attributes:
        table: the table.
        spec: what was asked.
        warnings: what a person should know.
        rejected: rows that could not be read, and why.
        columns: ``system`` and ``score`` as found, for the printed spec.
        read: names of the columns that were used up.
        settled: part, decimal sign and unit that the score column decided.
    """

    table: Table
    spec: Leaderboard
    warnings: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    columns: dict[str, Any] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    settled: dict[str, Any] = field(default_factory=dict)


def cell_values(
    table: Table, column: Column, *, wanted_for: str, numeric: bool | None = None
) -> tuple[int, list[Any]]:
    """Index and cells of a column; a pattern's first group replaces the cell.

    Raises:
        ReadRefused: no such column, or several.
    """
    index = find(table, column_name(column), numeric=numeric)
    if index is None:
        raise ReadRefused(
            Reason.COLUMN_MISSING,
            f"no column {column_name(column)!r} (for {wanted_for}) in {table.label}: columns {shown(table.columns)}",
        )
    cells = table.column(index)
    if isinstance(column, ColumnPattern):
        pattern = re.compile(column.regex)
        matches = [pattern.search(c) if isinstance(c, str) else None for c in cells]
        cells = [(m.group(1) if m.re.groups else m.group()) if m else None for m in matches]
    return index, cells
