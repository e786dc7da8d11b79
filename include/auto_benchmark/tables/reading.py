"""Work in progress on one table: what was asked, what was found, what went wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from auto_benchmark.registry.leaderboard import Column, ColumnPattern, Leaderboard
from auto_benchmark.tables.columns import column_name, find, shown
from auto_benchmark.tables.markup import Stripped
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.table import Attributed, Table


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
    """Index and cells of a column; an attribute, and then a pattern's first group, replace the cell.

    Raises:
        ReadRefused: no such column, or several; an attribute that no cell has.
    """
    index = find(table, column_name(column), numeric=numeric)
    if index is None:
        raise ReadRefused(
            Reason.COLUMN_MISSING,
            f"no column {column_name(column)!r} (for {wanted_for}) in {table.label}: columns {shown(table.columns)}",
        )
    cells = table.column(index)
    if isinstance(column, ColumnPattern) and column.attribute is not None:
        values = attribute_values(table, index, column.attribute)
        if cells and all(value is None for value in values):
            raise ReadRefused(
                Reason.COLUMN_MISSING,
                f"no cell of column {table.columns[index]!r} (for {wanted_for}) in {table.label} has the attribute "
                f"{column.attribute!r}",
            )
        cells = [cell if value is None else value for cell, value in zip(cells, values, strict=True)]
    if isinstance(column, ColumnPattern) and column.regex is not None:
        pattern = re.compile(column.regex)
        cells = [_cut_out(pattern, cell) if isinstance(cell, str) else None for cell in cells]
    return index, cells


def attribute_values(table: Table, index: int, name: str) -> list[str | None]:
    """What the cells of a column say in an attribute; None where they have none."""
    cells = table.column(index)
    return [cell.attributes.get(name.lower()) if isinstance(cell, Attributed) else None for cell in cells]


def is_there(table: Table, column: Column) -> bool:
    """Whether a table has a column of numbers of that name and, where an attribute is asked for, a cell that has it."""
    index = find(table, column_name(column), numeric=True)
    if index is None or not isinstance(column, ColumnPattern) or column.attribute is None:
        return index is not None
    return any(value is not None for value in attribute_values(table, index, column.attribute))


def _cut_out(pattern: re.Pattern[str], cell: str) -> str | None:
    """What a pattern finds in a cell; markup within that stays known, markup beside it does not matter."""
    found = _found(pattern, cell)
    if found is None or not isinstance(cell, Stripped):
        return found
    written = _found(pattern, cell.written)
    return found if written == found else Stripped(found, written or cell.written)


def _found(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return None if match is None else match.group(1) if pattern.groups else match.group()
