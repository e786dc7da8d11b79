"""Scores that the page does not show but its owner computes, and several rows of one system that become one entry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from auto_benchmark.registry.leaderboard import Derive, ScrapeMethod
from auto_benchmark.tables.columns import find
from auto_benchmark.tables.draft import UNNAMED, Draft
from auto_benchmark.tables.naming import name_of, written
from auto_benchmark.tables.reading import Reading, cell_values
from auto_benchmark.tables.table import Table


def inputs(derive: Derive) -> list[str]:
    """Columns that the derived score is computed from; empty when the score is a column itself."""
    if isinstance(derive.mean, Mapping):
        return [name for group in derive.mean.values() for name in group]
    return list(derive.mean or ())


def mean_score(derive: Derive, values: Mapping[str, float | None]) -> float | None:
    """Mean of the columns, or mean over the groups of the groups' means. One missing value leaves no mean."""
    if any(values[name] is None for name in inputs(derive)):
        return None
    if isinstance(derive.mean, Mapping):
        return fmean(fmean(_present(values, group)) for group in derive.mean.values())
    return fmean(_present(values, derive.mean or ()))


def _present(values: Mapping[str, float | None], names: Sequence[str]) -> list[float]:
    return [value for name in names if (value := values[name]) is not None]


def mean_by_group(rows: Sequence[tuple[str, str, float | None]]) -> dict[str, float | None]:
    """Mean over groups of the groups' means, per system.

    Args:
        rows: (system, group, score) of a table in long form.

    Returns:
        One score per system, in order of appearance; None when the system lacks a group that others have, or one of
        its scores is missing.
    """
    groups: dict[str, dict[str, list[float | None]]] = {}
    every = dict.fromkeys(group for _, group, _ in rows)
    for system, group, score in rows:
        groups.setdefault(system, defaultdict(list))[group].append(score)
    result: dict[str, float | None] = {}
    for system, found in groups.items():
        complete = len(found) == len(every) and all(s is not None for scores in found.values() for s in scores)
        means = [fmean([s for s in scores if s is not None]) for scores in found.values()] if complete else []
        result[system] = fmean(means) if means else None
    return result


def best_of(entries: Sequence[Draft], keys: Sequence[str], *, higher_is_better: bool) -> list[Draft]:
    """The best scored entry per key; an unscored one only where the key has no score at all."""
    best: dict[str, Draft] = {}
    sign = 1.0 if higher_is_better else -1.0
    for entry, key in zip(entries, keys, strict=True):
        held = best.get(key)
        if held is None or (
            entry.score is not None and (held.score is None or sign * entry.score > sign * held.score)
        ):
            best[key] = entry
    return list(best.values())


def transposed(table: Table) -> Table:
    """Columns become rows: the first column's cells name the columns, the header names the systems."""
    first = [name_of(row[0]) for row in table.rows]
    columns = [table.columns[0] or "system", *first]
    rows: list[list[Any]] = [
        [table.columns[i], *(row[i] for row in table.rows)] for i in range(1, len(table.columns))
    ]
    return Table(
        columns, rows, table.label, dict(table.locate), list(table.rejected), list(table.notes), table.headings
    )


def combined(reading: Reading, drafts: list[Draft], rows: list[int]) -> tuple[list[Draft], list[str]]:
    """Scored drafts, and the names of systems that are listed without a score.

    Args:
        reading: the board being read.
        drafts: one per row.
        rows: the table's row of each draft.
    """
    derive = reading.spec.derive
    if derive and derive.mean_by:
        _, groups = cell_values(reading.table, derive.mean_by.group, wanted_for="derive")
        means = mean_by_group([(e.key, str(groups[i]), e.score) for e, i in zip(drafts, rows, strict=True)])
        names = {e.key: e for e in drafts}
        drafts = [Draft(names[k].system, score, written=names[k].written) for k, score in means.items()]
    if derive and derive.best_per:
        if derive.best_per == "system" and find(reading.table, "system") is None:
            keys = [e.key for e in drafts]
        else:
            _, cells = cell_values(reading.table, derive.best_per, wanted_for="derive")
            seen = written(cells)
            keys = [f"{name_of(cells[i])}\n{seen[i] or ''}" for i in rows]
        drafts = best_of(drafts, keys, higher_is_better=reading.spec.higher_is_better)
    elif reading.spec.scrape_method is ScrapeMethod.RSS:
        drafts = _newest(drafts)
    return [e for e in drafts if e.score is not None], [e.system for e in drafts if e.score is None]


def _newest(drafts: list[Draft]) -> list[Draft]:
    """Items of a feed are events, newest first: a system's first scored one counts, and the rest is history."""
    newest: dict[str, Draft] = {}
    for draft in drafts:
        if draft.score is not None and draft.system != UNNAMED:
            newest.setdefault(draft.key, draft)
    return list(newest.values())
