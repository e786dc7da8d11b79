"""Choose the one table that holds the board. Several that could be it are a refusal, not a choice."""

from __future__ import annotations

from collections.abc import Sequence

from auto_benchmark.registry.leaderboard import Column, ColumnPattern, Leaderboard, ScrapeMethod
from auto_benchmark.tables.columns import column_name, find, loose, shown
from auto_benchmark.tables.derive import inputs, transposed
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.score_cell import read_score_cell
from auto_benchmark.tables.table import Table


def score_names(spec: Leaderboard) -> list[Column]:
    """Columns that may hold the score, in order of preference."""
    given = spec.columns.score
    if given is None:
        return [spec.primary_metric]
    return list(given) if isinstance(given, list) else [given]


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
        labels = "; ".join(f"{t.label} ({len(t.rows)} rows)" for t in fitting[:8])
        raise ReadRefused(
            Reason.AMBIGUOUS_TABLE,
            f"{spec.primary_metric!r} stands in {len(fitting)} tables: {labels}; give `locate`",
        )
    if not fitting:
        raise _no_metric(located, spec, seen)
    return fitting[0]


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
    if spec.columns.system is not None and find_or_none(table, column_name(spec.columns.system)) is None:
        return False
    if any(isinstance(c, ColumnPattern) for c in score_names(spec)):
        return True
    cells = [read_score_cell(row[index]) for row in table.rows]
    return any(c.parts or c.value is not None for c in cells)


def find_or_none(table: Table, name: str) -> int | None:
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
