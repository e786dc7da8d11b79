"""Which rows of a table are entries: repeated headers, separators and blank rows are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auto_benchmark.tables.columns import levels
from auto_benchmark.tables.table import Table


def data_rows(table: Table, names: Sequence[str], system: int, score: int | None, rejected: list[str]) -> list[int]:
    """Indices of the rows that are entries.

    Args:
        table: the table.
        names: the system's name in each row.
        system: index of the system column.
        score: index of the score column, None when the score is derived.
        rejected: gets a line per row whose name is the header's (a header cell that spilled into the body).
    """
    header = {name.strip() for name in (table.columns[system], *levels(table.columns[system])) if name.strip()}
    titles = [{c.strip(), *levels(c)} for c in table.columns]
    kept: list[int] = []
    for i, row in enumerate(table.rows):
        if _blank(row) or _separator(row):
            continue
        if names[i] in header:
            if score is not None and _text(row[score]) in titles[score]:
                continue
            rejected.append(f"row {i + 1}: name {names[i]!r} is the header's")
            continue
        kept.append(i)
    return kept


def _text(cell: Any) -> str:
    return " ".join(cell.split()) if isinstance(cell, str) else str(cell)


def _blank(row: list[Any]) -> bool:
    return all(map(_empty, row))


def _empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _separator(row: list[Any]) -> bool:
    """One text over all columns: ``Open models``."""
    if len(row) < 3 or row[0] != row[1] or not isinstance(row[0], str) or not row[0].strip():
        return False
    return all(cell == row[0] for cell in row)
