"""Several rows of one system become one entry where the spec, or the kind of document, says so."""

from __future__ import annotations

from auto_benchmark.registry.leaderboard import ScrapeMethod
from auto_benchmark.tables.columns import find
from auto_benchmark.tables.derive import best_of, mean_by_group
from auto_benchmark.tables.draft import UNNAMED, Draft
from auto_benchmark.tables.naming import name_of, written
from auto_benchmark.tables.reading import Reading, cell_values


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
