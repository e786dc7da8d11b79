"""The board in a document's tables: which table it is, which rows are its entries, and what was wrong with the rest.

Several tables that could be it are a refusal, not a choice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from auto_benchmark.registry.leaderboard import ColumnPattern, Leaderboard, ScrapeMethod
from auto_benchmark.tables.columns import column_name, find, loose, score_names, shown
from auto_benchmark.tables.derive import combined, inputs, transposed
from auto_benchmark.tables.doubts import above_hundred, baselines, two_notations
from auto_benchmark.tables.draft import UNNAMED, Draft
from auto_benchmark.tables.entry import ParsedBoard
from auto_benchmark.tables.naming import edge_footnotes, name_of, tidy, written
from auto_benchmark.tables.ranking import mark_doubles, ranks, stale_ranks
from auto_benchmark.tables.reading import Reading
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.rows import (
    data_rows,
    other_metrics,
    read_dates,
    read_links,
    read_systems,
    without_excluded,
)
from auto_benchmark.tables.score_cell import read_score_cell
from auto_benchmark.tables.score_column import SettledScore
from auto_benchmark.tables.scores import read_scores
from auto_benchmark.tables.spec_found import spec_found
from auto_benchmark.tables.table import Table

LONGEST_NAME = 1000
"""Characters; names are compared with each other, which takes the square of their length."""
MOST_REJECTED = 0.10
"""Share of the rows that may be unreadable; more of them and the table is not what it was taken for."""


def choose(tables: Sequence[Table], spec: Leaderboard, *, seen: str) -> Table:
    """The board's table.

    Args:
        tables: candidates in document order.
        spec: locator and column names.
        seen: what the document is, for messages.

    Raises:
        ReadRefused: none or several fit.
    """
    located = _located(tables, spec, seen)
    if spec.derive and spec.derive.transpose:
        located = [transposed(t) for t in located]
    if len(located) == 1:
        return _with_metric(located[0], spec)
    fitting = [t for t in located if _fits(t, spec)]
    if not fitting and spec.scrape_method is ScrapeMethod.AUTO and spec.derive is None:
        turned = [transposed(t) for t in located if len(t.columns) > 1 and t.rows]
        fitting = [t for t in turned if _fits(t, spec)]
        for table in fitting:
            table.notes.append("systems stand in columns; read with `derive: {transpose: true}`")
    if len(fitting) > 1:
        fitting = _without_parts(fitting, spec)
    if len(fitting) > 1:
        labels = "; ".join(f"{t.label} ({len(t.rows)} rows)" for t in fitting[:8])
        raise ReadRefused(
            Reason.AMBIGUOUS_TABLE,
            f"{spec.primary_metric!r} stands in {len(fitting)} tables: {labels}; give `locate`",
        )
    if not fitting:
        raise _no_metric(located, spec, seen)
    return fitting[0]


def _without_parts(tables: Sequence[Table], spec: Leaderboard) -> list[Table]:
    """Tables without those that are no board beside another: one record of it, or a single record around it.

    A record's nested object with one score is a part of its row. A record that holds all systems has one score for each.
    """
    scored = [(table, _scored(table, spec)) for table in tables]
    boards = [_path(table) for table, n in scored if n > 1]

    def is_part(table: Table, n: int) -> bool:
        return n == 1 and any(
            re.match(rf"{re.escape(p[:-2])}\d+\]", _path(table)) for p in boards if p.endswith("[*]")
        )

    def is_around(table: Table, n: int) -> bool:
        around = _path(table)[:-1]
        return n == 0 and len(table.rows) == 1 and bool(around) and any(p.startswith(around) for p in boards)

    return [table for table, n in scored if not is_part(table, n) and not is_around(table, n)]


def _path(table: Table) -> str:
    return str((table.locate or {}).get("jsonpath", ""))


def _scored(table: Table, spec: Leaderboard) -> int:
    """How many rows have a number in the metric's column; 0 where its name is ambiguous."""
    try:
        index = next(i for c in score_names(spec) if (i := find(table, column_name(c), numeric=True)) is not None)
    except (ReadRefused, StopIteration):
        return 0
    cells = (read_score_cell(cell) for cell in table.column(index))
    return sum(1 for cell in cells if cell.parts or cell.value is not None)


def _located(tables: Sequence[Table], spec: Leaderboard, seen: str) -> list[Table]:
    where = spec.locate
    found = list(tables)
    if where and where.heading is not None:
        found = _under(found, where.heading)
        if not found:
            headings = list(dict.fromkeys(h for t in tables for h in t.headings))
            raise ReadRefused(
                Reason.LOCATOR_MISSED,
                f"no table below a heading {where.heading!r} in {seen}; headings with tables: {shown(headings)}",
            )
    if where and where.table is not None:
        if where.table > len(found):
            raise ReadRefused(
                Reason.LOCATOR_MISSED,
                f"table {where.table} wanted, {len(found)} found in {seen}",
            )
        found = [found[where.table - 1]]
    if not found:
        raise ReadRefused(Reason.NO_TABLE, f"no table in {seen}")
    return found


def _under(tables: Sequence[Table], heading: str) -> list[Table]:
    """Tables below the heading: the exact text first, else the loosest spelling, else a heading that begins so."""
    wanted = heading.lstrip("# ")
    for same in (
        lambda h: h.strip() == wanted.strip(),
        lambda h: loose(h) == loose(wanted),
        lambda h: bool(loose(wanted)) and loose(h).startswith(loose(wanted)),
    ):
        if found := [t for t in tables if any(same(h) for h in t.headings)]:
            return found
    return []


def _with_metric(table: Table, spec: Leaderboard) -> Table:
    if not _has_columns(table, spec):
        turned = transposed(table) if table.rows and len(table.columns) > 1 and spec.derive is None else None
        if turned and spec.scrape_method is ScrapeMethod.AUTO and _fits(turned, spec):
            turned.notes.append("systems stand in columns; read with `derive: {transpose: true}`")
            return turned
        raise _no_metric([table], spec, table.label)
    return table


def _has_columns(table: Table, spec: Leaderboard) -> bool:
    if spec.derive and (wanted := inputs(spec.derive)):
        return all(find(table, name) is not None for name in wanted)
    return any(find(table, column_name(c), numeric=True) is not None for c in score_names(spec))


def _fits(table: Table, spec: Leaderboard) -> bool:
    """The metric's column is there and holds at least one number. An ambiguous name fits too (refused later)."""
    try:
        if not _has_columns(table, spec):
            return False
        if spec.derive and inputs(spec.derive):
            return True
        index = next(i for c in score_names(spec) if (i := find(table, column_name(c), numeric=True)) is not None)
    except ReadRefused:
        return True
    if spec.columns.system is not None and _find_or_none(table, column_name(spec.columns.system)) is None:
        return False
    if any(isinstance(c, ColumnPattern) for c in score_names(spec)):
        return True
    cells = [read_score_cell(row[index]) for row in table.rows]
    return any(c.parts or c.value is not None for c in cells)


def _find_or_none(table: Table, name: str) -> int | None:
    """Like :func:`find`; an ambiguous name counts as found."""
    try:
        return find(table, name)
    except ReadRefused:
        return 0


def _no_metric(tables: Sequence[Table], spec: Leaderboard, seen: str) -> ReadRefused:
    names = " or ".join(repr(column_name(c)) for c in score_names(spec))
    if spec.derive and (wanted := inputs(spec.derive)):
        names = shown(wanted)
    rows = sum(len(t.rows) for t in tables)
    if not rows and not any(t.columns for t in tables):
        return ReadRefused(Reason.NO_SCORED_ROWS, f"{seen} has {len(tables)} tables but not one row")
    columns = list(dict.fromkeys(c for t in tables for c in t.columns))
    turned = any(loose(str(row[0])) == loose(spec.primary_metric) for t in tables for row in t.rows if row)
    hint = "; it stands in a row: set `derive: {transpose: true}`" if turned else ""
    return ReadRefused(
        Reason.METRIC_MISSING,
        f"no column {names} in {seen}: {len(tables)} table(s), {rows} rows, columns {shown(columns)}{hint}",
    )


def board_from_table(table: Table, spec: Leaderboard, *, method: ScrapeMethod) -> ParsedBoard:
    """Read the board out of its table.

    Args:
        table: the chosen table.
        spec: what is wanted.
        method: how it was read, for the printed spec.

    Raises:
        ReadRefused: whenever the board cannot be read with certainty.
    """
    reading = Reading(table, spec, list(table.notes), list(table.rejected))
    score_index, scores = read_scores(reading)
    system_index, system = read_systems(reading, score_index)
    names = [name_of(cell) for cell in system]
    kept = data_rows(table, names, system_index, score_index, reading.rejected)
    kept = without_excluded(reading, kept, names)
    drafts, unscored = _entries(reading, kept, names, scores, system)
    _check(reading, drafts, unscored)
    _one_notation(reading, drafts, by_hand=method is ScrapeMethod.MANUAL)
    order = ranks(drafts, higher_is_better=spec.higher_is_better)
    mark_doubles([draft for _, draft in order])
    reading.warnings += stale_ranks(order)
    _remarks(reading, [draft for _, draft in order], unscored)
    board = {
        "board": spec.name,
        "metric": spec.primary_metric,
        "higher_is_better": spec.higher_is_better,
        "entries": [draft.at(rank) for rank, draft in order],
        "unscored": sorted(unscored),
        "warnings": list(dict.fromkeys(reading.warnings)),
        "spec": spec_found(spec, table, method, reading.columns, reading.settled),
    }
    return ParsedBoard.model_validate(board)


def _entries(
    reading: Reading, rows: list[int], systems: list[str], scores: list[SettledScore], cells: list[Any]
) -> tuple[list[Draft], list[str]]:
    """Scored rows, and the names of systems that are listed without a score."""
    names = tidy([systems[i] for i in rows])
    as_written = written(cells)
    metrics = other_metrics(reading, rows)
    drafts: list[Draft] = []
    kept: list[int] = []
    dates, links = read_dates(reading), read_links(reading)
    for i, (name, mark), others in zip(rows, names, metrics, strict=True):
        score = scores[i]
        if score.problem:
            reading.rejected.append(f"row {i + 1} ({name[:60] or 'no name'}): score {score.problem}")
        elif len(name) > LONGEST_NAME:
            reading.rejected.append(f"row {i + 1} ({name[:60]}): a name of {len(name)} characters")
        elif name or score.value is not None:
            note = " ".join(filter(None, (edge_footnotes(cells[i]), mark, score.note))) or None
            date = dates[i] if dates else None
            link = links[i] if links else None
            drafts.append(Draft(name or UNNAMED, score.value, score.stderr, others, date, note, as_written[i], link))
            kept.append(i)
    return combined(reading, drafts, kept)


def _check(reading: Reading, entries: list[Draft], unscored: list[str]) -> None:
    rejected = reading.rejected
    total = len(entries) + len(unscored) + len(rejected)
    if len(rejected) > MOST_REJECTED * total:
        listed = "; ".join(rejected[:5])
        raise ReadRefused(
            Reason.TOO_MANY_REJECTED,
            f"{len(rejected)} of {total} rows of {reading.table.label} cannot be read: {listed}",
        )
    times = Counter(e.system for e in entries)
    if reading.spec.columns.system is None and len(times) > 1 and min(times.values()) > 1:
        raise ReadRefused(
            Reason.AMBIGUOUS_COLUMN,
            f"every system of {reading.table.label} ({shown(list(times), 5)}) is listed more than once: give "
            "`columns: {system: …}`, and `derive` if the rows are to become one (`best_per: system`, `mean_by`)",
        )
    unnamed = sum(1 for e in entries if e.system == UNNAMED)
    if unnamed * 2 > len(entries):
        raise ReadRefused(
            Reason.COLUMN_MISSING, f"{unnamed} of {len(entries)} scored rows of {reading.table.label} have no name"
        )
    if unnamed:
        reading.warnings.append(f"{unnamed} scored rows have no name")
    if not entries and not reading.spec.may_be_empty:
        raise ReadRefused(
            Reason.NO_SCORED_ROWS,
            f"{reading.table.label} has {len(reading.table.rows)} rows but no numeric score; "
            f"columns {shown(reading.table.columns)}; a page drawn by JavaScript needs method `api`",
        )


def _one_notation(reading: Reading, entries: list[Draft], *, by_hand: bool) -> None:
    """A share beside percentages ranks a good system last: refused where a person can write it anew, else a doubt."""
    found = two_notations(entries)
    declared = reading.spec.unit is not None or reading.settled.get("shown_unit")
    if found is None or declared or not reading.spec.higher_is_better:
        return
    share, percent = found
    text = (
        f"{share.system} has {share.score:g} beside {percent.score:g} of {percent.system}: a share among percentages?"
    )
    if by_hand:
        hint = "write all rows in one way, or `unit: percent` at the board if it is meant so"
        raise ReadRefused(Reason.AMBIGUOUS_NUMBER, f"{text} {hint}")
    reading.warnings.append(f"suspect: {text} `unit: percent` says that it is meant so")


def _remarks(reading: Reading, entries: list[Draft], unscored: list[str]) -> None:
    spec, warn = reading.spec, reading.warnings
    if direction := spec.direction_warning():
        warn.append(direction)
    warn += [f"rejected: {text}" for text in reading.rejected]
    if unscored:
        warn.append(f"{len(unscored)} listed without a score: {shown(unscored, 10)}")
    if repeated := [name for name, n in Counter(e.system for e in entries).items() if n > 1]:
        warn.append(f"listed more than once: {shown(repeated, 10)}")
    warn += baselines(entries) if spec.exclude.rows is None and spec.exclude.where is None else []
    warn += above_hundred(entries, spec.primary_metric, reading.settled.get("shown_unit") or "")
