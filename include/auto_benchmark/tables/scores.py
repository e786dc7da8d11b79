"""The score of every row: from its column, or derived from several, with the errors that the board publishes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auto_benchmark.registry.leaderboard import ColumnPattern, Derive
from auto_benchmark.stats.normal import Z95
from auto_benchmark.tables.columns import column_name, score_names
from auto_benchmark.tables.derive import inputs, mean_score
from auto_benchmark.tables.interval import half_width
from auto_benchmark.tables.reading import Reading, cell_values, is_there
from auto_benchmark.tables.score_column import ScoreColumn, SettledScore, read_score_column


def read_scores(reading: Reading) -> tuple[int | None, list[SettledScore]]:
    """Index of the score column (None when the score is derived) and a score per row.

    Raises:
        ReadRefused: no such column, or it cannot serve as a metric.
    """
    table, spec = reading.table, reading.spec
    if spec.derive and (wanted := inputs(spec.derive)):
        columns = {name: _read(reading, cell_values(table, name, wanted_for="derive")[1], name) for name in wanted}
        return None, [_derived(spec.derive, columns, i) for i in range(len(table.rows))]
    candidates = score_names(spec)
    if spec.derive and spec.derive.mean_by:
        candidates = [spec.derive.mean_by.of]
    column = next((c for c in candidates if is_there(table, c)), candidates[0])
    index, cells = cell_values(table, column, wanted_for="the score", numeric=True)
    reading.read.add(table.columns[index])
    settled = _read(reading, cells, table.columns[index])
    reading.columns["score"] = (
        column.model_dump(exclude_none=True) if isinstance(column, ColumnPattern) else table.columns[index]
    )
    if len(candidates) > 1:
        reading.columns["score"] = [
            c.model_dump(exclude_none=True) if isinstance(c, ColumnPattern) else c for c in candidates
        ]
        if column != candidates[0]:
            reading.warnings.append(f"no column {column_name(candidates[0])!r}; read {column_name(column)!r} instead")
    reading.settled |= {"part": settled.part, "decimal": settled.decimal, "unit": spec.unit and settled.unit}
    reading.settled["shown_unit"] = settled.unit
    return index, _with_errors(reading, settled.scores)


def _read(reading: Reading, cells: Sequence[Any], name: str) -> ScoreColumn:
    spec = reading.spec
    column = read_score_column(cells, name=name, decimal=spec.decimal, part=spec.part, unit=spec.unit)
    reading.warnings += column.warnings
    return column


def _derived(derive: Derive, columns: dict[str, ScoreColumn], row: int) -> SettledScore:
    cells = {name: column.scores[row] for name, column in columns.items()}
    problem = next((s.problem for s in cells.values() if s.problem), None)
    value = None if problem else mean_score(derive, {n: s.value for n, s in cells.items()})
    return SettledScore(value, problem=problem)


def _with_errors(reading: Reading, scores: list[SettledScore]) -> list[SettledScore]:
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
    return [s if e is None else SettledScore(s.value, abs(e), s.note, s.problem) for s, e in pairs]
