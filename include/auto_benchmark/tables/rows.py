"""Which rows of a table are entries, and what each says beside its score: the system's name, the date, other numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from auto_benchmark.registry.leaderboard import Column, ColumnPattern
from auto_benchmark.tables.columns import levels, loosest, shown
from auto_benchmark.tables.reading import Reading, attribute_values, cell_values
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.score_cell import read_score_cell
from auto_benchmark.tables.score_column import read_score_column
from auto_benchmark.tables.system_column import guess_system_column
from auto_benchmark.tables.table import Table

GUESSED_SYSTEM = "system column not given"
"""Begins the warning that the names were found where no spec points; a board that is read each day needs none."""


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


MOST_METRICS = 60
LONGEST_LINK = 2_000
SAMPLE = 12
"""Cells that show whether a column may hold numbers at all."""
MOST_TEXTS = 0.10
"""Share of texts among the numbers of a column that is still read."""
DATE_COLUMNS = frozenset({"date", "submitted", "submissiondate", "submittedat", "evaldate"})


def read_systems(reading: Reading, score_index: int | None) -> tuple[int, list[Any]]:
    """Index and cells of the column that names the systems, given or found.

    Raises:
        ReadRefused: no such column, or none that looks like names.
    """
    table, given = reading.table, reading.spec.columns.system
    if given is not None:
        index, cells = cell_values(table, given, wanted_for="the system", numeric=False)
        reading.columns["system"] = (
            given.model_dump(exclude_none=True) if isinstance(given, ColumnPattern) else table.columns[index]
        )
        return index, cells
    if not table.rows and reading.rejected:
        listed = "; ".join(reading.rejected[:5])
        raise ReadRefused(Reason.TOO_MANY_REJECTED, f"no row of {table.label} can be read: {listed}")
    if not table.rows:
        raise ReadRefused(
            Reason.NO_SCORED_ROWS, f"{table.label} has no rows below its columns {shown(table.columns)}"
        )
    guess, sure = guess_system_column(table, -1 if score_index is None else score_index)
    if guess is None:
        raise ReadRefused(
            Reason.COLUMN_MISSING,
            f"no column of {table.label} looks like names: {shown(table.columns)}; set `columns: {{system: …}}`",
        )
    reading.columns["system"] = table.columns[guess]
    reading.warnings.append(f"{GUESSED_SYSTEM}: {table.columns[guess]!r} taken (sure {sure:.2f})")
    return guess, table.column(guess)


def without_excluded(reading: Reading, rows: list[int], names: list[str]) -> list[int]:
    """Rows that the spec declares to be no competitors."""
    exclude = reading.spec.exclude
    if exclude.rows is not None:
        pattern = re.compile(exclude.rows)
        rows = [i for i in rows if not pattern.search(names[i])]
    if exclude.where is not None:
        _, cells = cell_values(reading.table, exclude.where.column, wanted_for="exclude")
        barred = {_plain(v) for v in exclude.where.values}
        rows = [i for i in rows if _plain(cells[i]) not in barred]
    return rows


def _plain(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value).strip().casefold()


def read_dates(reading: Reading) -> list[str | None]:
    """Submission dates as published: of the column that the spec names, or of one that is called so."""
    given = reading.spec.columns.date
    if given is None:
        named = [name for name in reading.table.columns if loosest(name) in DATE_COLUMNS]
        if len(named) != 1:
            return []
        given = named[0]
    cells = cell_values(reading.table, given, wanted_for="the date")[1]
    return [None if cell is None or cell == "" else " ".join(str(cell).split()) for cell in cells]


def read_links(reading: Reading) -> list[str | None]:
    """The link of each row, where the spec names a column for it."""
    given = reading.spec.columns.url
    if given is None:
        return []
    index, cells = cell_values(reading.table, given, wanted_for="the link")
    if isinstance(given, ColumnPattern) and given.attribute is not None:  # a cell's text is no link
        has = attribute_values(reading.table, index, given.attribute)
        cells = [None if value is None else cell for value, cell in zip(has, cells, strict=True)]
    links = (cell.strip() if isinstance(cell, str) else "" for cell in cells)
    return [link if 0 < len(link) <= LONGEST_LINK else None for link in links]


def other_metrics(reading: Reading, rows: list[int]) -> list[dict[str, float | None]]:
    """The other numbers of each row, by column name."""
    table, spec = reading.table, reading.spec
    wanted: dict[str, Column] = dict(spec.columns.metrics)
    used = {value for value in reading.columns.values() if isinstance(value, str)} | reading.read
    chosen: dict[str, list[Any]] = {
        label: cell_values(table, column, wanted_for=f"metric {label}")[1] for label, column in wanted.items()
    } or {name: table.column(i) for i, name in enumerate(table.columns) if name not in used}
    result: list[dict[str, float | None]] = [{} for _ in rows]
    taken = 0
    for name, cells in chosen.items():
        if taken >= MOST_METRICS:
            break
        values = _numeric([cells[i] for i in rows], name, must=bool(wanted))
        if values is None:
            continue
        taken += 1
        for metrics, value in zip(result, values, strict=True):
            metrics[name] = value
    return result


def _numeric(cells: list[Any], name: str, *, must: bool) -> list[float | None] | None:
    """Values of a column of which most filled cells are numbers, else None."""
    sample = [read_score_cell(cell) for cell in cells[:SAMPLE]]
    if not must and sum(1 for c in sample if c.is_text) * 2 > len(sample):
        return None
    try:
        scores = read_score_column(cells, name=name).scores
    except ReadRefused:
        if must:
            raise
        return None
    good = sum(1 for s in scores if s.value is not None)
    bad = sum(1 for s in scores if s.problem)
    return [s.value for s in scores] if must or (good and bad <= MOST_TEXTS * good) else None
