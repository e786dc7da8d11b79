"""From tables to a board: which table, which columns, which rows are entries, and what was wrong with the rest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from auto_benchmark.leaderboards.columns import find, loosest, shown
from auto_benchmark.leaderboards.derive import best_of, inputs, mean_by_group, mean_score
from auto_benchmark.leaderboards.draft import Draft
from auto_benchmark.leaderboards.entry import Entry, ParsedBoard
from auto_benchmark.leaderboards.interval import half_width
from auto_benchmark.leaderboards.naming import name_of, tidy
from auto_benchmark.leaderboards.plausibility import above_hundred, baselines
from auto_benchmark.leaderboards.ranking import ranks
from auto_benchmark.leaderboards.refusal import ReadRefused, Reason
from auto_benchmark.leaderboards.rows import data_rows
from auto_benchmark.leaderboards.score_cell import read_score_cell
from auto_benchmark.leaderboards.score_column import Score, ScoreColumn, read_score_column
from auto_benchmark.leaderboards.select import column_name, score_names
from auto_benchmark.leaderboards.spec_found import spec_found
from auto_benchmark.leaderboards.system_column import guess_system_column
from auto_benchmark.leaderboards.table import Table
from auto_benchmark.registry.leaderboard import Column, ColumnPattern, Derive, Leaderboard, ScrapeMethod

MOST_REJECTED = 0.10
MOST_METRICS = 60
SAMPLE = 12
"""Cells that show whether a column may hold numbers at all."""
UNNAMED = "—"
"""Stands for a system that has a score but no name: it holds a place in the ranking."""
DATE_COLUMNS = frozenset({"date", "submitted", "submissiondate", "submittedat", "evaldate"})
Z95 = 1.959963984540054


@dataclass
class _Reading:
    """Work in progress on one table."""

    table: Table
    spec: Leaderboard
    warnings: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    columns: dict[str, Any] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    settled: dict[str, Any] = field(default_factory=dict)


def board_from_table(table: Table, spec: Leaderboard, *, method: ScrapeMethod) -> ParsedBoard:
    """Read the board out of its table.

    Args:
        table: the chosen table.
        spec: what is wanted.
        method: how it was read, for the printed spec.

    Raises:
        ReadRefused: whenever the board cannot be read with certainty.
    """
    reading = _Reading(table, spec, list(table.notes), list(table.rejected))
    score_index, scores = _scores(reading)
    system_index, system = _system(reading, score_index)
    names = [name_of(cell) for cell in system]
    kept = data_rows(table, names, system_index, score_index, reading.rejected)
    kept = _without_excluded(reading, kept, names)
    drafts, unscored = _entries(reading, kept, names, scores)
    _check(reading, drafts, unscored)
    entries = [draft.at(rank) for rank, draft in ranks(drafts, higher_is_better=spec.higher_is_better)]
    _remarks(reading, entries, unscored)
    return ParsedBoard(
        board=spec.name,
        metric=spec.primary_metric,
        higher_is_better=spec.higher_is_better,
        entries=entries,
        unscored=sorted(unscored),
        warnings=list(dict.fromkeys(reading.warnings)),
        spec=spec_found(spec, table, method, reading.columns, reading.settled),
    )


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


def _scores(reading: _Reading) -> tuple[int | None, list[Score]]:
    table, spec = reading.table, reading.spec
    if spec.derive and (wanted := inputs(spec.derive)):
        columns = {name: _read(reading, cell_values(table, name, wanted_for="derive")[1], name) for name in wanted}
        return None, [_derived(spec.derive, columns, i) for i in range(len(table.rows))]
    candidates = score_names(spec)
    if spec.derive and spec.derive.mean_by:
        candidates = [spec.derive.mean_by.of]
    column = next((c for c in candidates if find(table, column_name(c), numeric=True) is not None), candidates[0])
    index, cells = cell_values(table, column, wanted_for="the score", numeric=True)
    reading.read.add(table.columns[index])
    settled = _read(reading, cells, table.columns[index])
    reading.columns["score"] = column.model_dump() if isinstance(column, ColumnPattern) else table.columns[index]
    if len(candidates) > 1:
        reading.columns["score"] = [c.model_dump() if isinstance(c, ColumnPattern) else c for c in candidates]
        if column != candidates[0]:
            reading.warnings.append(f"no column {column_name(candidates[0])!r}; read {column_name(column)!r} instead")
    reading.settled |= {"part": settled.part, "decimal": settled.decimal, "unit": spec.unit and settled.unit}
    reading.settled["shown_unit"] = settled.unit
    return index, _with_errors(reading, settled.scores)


def _read(reading: _Reading, cells: Sequence[Any], name: str) -> ScoreColumn:
    spec = reading.spec
    column = read_score_column(cells, name=name, decimal=spec.decimal, part=spec.part, unit=spec.unit)
    reading.warnings += column.warnings
    return column


def _derived(derive: Derive, columns: dict[str, ScoreColumn], row: int) -> Score:
    cells = {name: column.scores[row] for name, column in columns.items()}
    problem = next((s.problem for s in cells.values() if s.problem), None)
    value = None if problem else mean_score(derive, {n: s.value for n, s in cells.items()})
    return Score(value, problem=problem)


def _with_errors(reading: _Reading, scores: list[Score]) -> list[Score]:
    """Standard errors from their own column or from an interval column, where the spec names one."""
    given = reading.spec.columns
    if given.stderr is not None:
        _, cells = cell_values(reading.table, given.stderr, wanted_for="the standard error")
        errors = [s.value for s in read_score_column(cells, name=column_name(given.stderr)).scores]
    elif given.interval is not None:
        _, cells = cell_values(reading.table, given.interval, wanted_for="the interval")
        widths = [half_width(c, s.value) for c, s in zip(cells, scores, strict=True)]
        errors = [None if w is None else w / Z95 for w in widths]
    else:
        return scores
    pairs = zip(scores, errors, strict=True)
    return [s if e is None else Score(s.value, abs(e), s.note, s.problem) for s, e in pairs]


def _system(reading: _Reading, score_index: int | None) -> tuple[int, list[Any]]:
    table, given = reading.table, reading.spec.columns.system
    if given is not None:
        index, cells = cell_values(table, given, wanted_for="the system", numeric=False)
        reading.columns["system"] = given.model_dump() if isinstance(given, ColumnPattern) else table.columns[index]
        return index, cells
    guess, sure = guess_system_column(table, -1 if score_index is None else score_index)
    if guess is None:
        raise ReadRefused(
            Reason.COLUMN_MISSING,
            f"no column of {table.label} looks like names: {shown(table.columns)}; set `columns: {{system: …}}`",
        )
    reading.columns["system"] = table.columns[guess]
    reading.warnings.append(f"system column not given: {table.columns[guess]!r} taken (sure {sure:.2f})")
    return guess, table.column(guess)


def _without_excluded(reading: _Reading, rows: list[int], names: list[str]) -> list[int]:
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


def _entries(
    reading: _Reading, rows: list[int], systems: list[str], scores: list[Score]
) -> tuple[list[Draft], list[str]]:
    """Scored rows, and the names of systems that are listed without a score."""
    names = tidy([systems[i] for i in rows])
    metrics = _other_metrics(reading, rows)
    drafts: list[Draft] = []
    kept: list[int] = []
    dates = _dates(reading)
    for i, (name, mark), others in zip(rows, names, metrics, strict=True):
        score = scores[i]
        if score.problem:
            reading.rejected.append(f"row {i + 1} ({name[:60] or 'no name'}): score {score.problem}")
        elif name or score.value is not None:
            note = " ".join(filter(None, (mark, score.note))) or None
            drafts.append(
                Draft(name or UNNAMED, score.value, score.stderr, others, dates[i] if dates else None, note)
            )
            kept.append(i)
    return _combined(reading, drafts, kept)


def _dates(reading: _Reading) -> list[str | None]:
    """Submission dates as published: of the column that the spec names, or of one that is called so."""
    given = reading.spec.columns.date
    if given is None:
        named = [name for name in reading.table.columns if loosest(name) in DATE_COLUMNS]
        if len(named) != 1:
            return []
        given = named[0]
    cells = cell_values(reading.table, given, wanted_for="the date")[1]
    return [None if cell is None or cell == "" else " ".join(str(cell).split()) for cell in cells]


def _combined(reading: _Reading, drafts: list[Draft], rows: list[int]) -> tuple[list[Draft], list[str]]:
    """Several rows of one system become one entry where the spec says so."""
    derive = reading.spec.derive
    if derive and derive.mean_by:
        _, groups = cell_values(reading.table, derive.mean_by.group, wanted_for="derive")
        means = mean_by_group([(e.system, str(groups[i]), e.score) for e, i in zip(drafts, rows, strict=True)])
        drafts = [Draft(name, score) for name, score in means.items()]
    if derive and derive.best_per:
        if derive.best_per == "system" and find(reading.table, "system") is None:
            keys = [e.system for e in drafts]
        else:
            _, cells = cell_values(reading.table, derive.best_per, wanted_for="derive")
            keys = [name_of(cells[i]) for i in rows]
        drafts = best_of(drafts, keys, higher_is_better=reading.spec.higher_is_better)
    elif reading.spec.scrape_method is ScrapeMethod.RSS:
        drafts = _newest(drafts)
    return [e for e in drafts if e.score is not None], [e.system for e in drafts if e.score is None]


def _newest(drafts: list[Draft]) -> list[Draft]:
    """Items of a feed are events, newest first: a system's first scored one counts, and the rest is history."""
    newest: dict[str, Draft] = {}
    for draft in drafts:
        if draft.score is not None and draft.system != UNNAMED:
            newest.setdefault(draft.system, draft)
    return list(newest.values())


def _other_metrics(reading: _Reading, rows: list[int]) -> list[dict[str, float | None]]:
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
    if not must and sum(1 for c in sample if c.problem) * 2 > len(sample):
        return None
    try:
        scores = read_score_column(cells, name=name).scores
    except ReadRefused:
        if must:
            raise
        return None
    good = sum(1 for s in scores if s.value is not None)
    bad = sum(1 for s in scores if s.problem)
    return [s.value for s in scores] if must or (good and bad <= MOST_REJECTED * good) else None


def _check(reading: _Reading, entries: list[Draft], unscored: list[str]) -> None:
    rejected = reading.rejected
    total = len(entries) + len(unscored) + len(rejected)
    if len(rejected) > MOST_REJECTED * total:
        listed = "; ".join(rejected[:5])
        raise ReadRefused(
            Reason.TOO_MANY_REJECTED,
            f"{len(rejected)} of {total} rows of {reading.table.label} cannot be read: {listed}",
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


def _remarks(reading: _Reading, entries: list[Entry], unscored: list[str]) -> None:
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
