"""Competition ranking: 1, 1, 3. Ties are decided on the value as published, and every system counts once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Protocol, TypeVar

from auto_benchmark.tables.columns import loosest
from auto_benchmark.tables.draft import UNNAMED, Draft
from auto_benchmark.tables.entry import Entry

RANK_COLUMNS = frozenset({"rank", "ranking", "position", "place", "#"})
"""Headers of a column that numbers the rows from the best on."""


class Scored(Protocol):
    """Anything with a name and a score."""

    @property
    def system(self) -> str:
        """Its name."""

    @property
    def score(self) -> float | None:
        """Its score; None when it has none."""

    @property
    def written(self) -> str | None:
        """Its name as the document writes it, where that differs."""


ScoredT = TypeVar("ScoredT", bound=Scored)


def ranks(items: Iterable[ScoredT], *, higher_is_better: bool) -> list[tuple[int | None, ScoredT]]:
    """Items best first, each with its competition rank; unscored ones last, without a rank.

    A rank is one more than the number of systems with a better score: of several entries of one system the best counts.
    Equal scores share a rank and are ordered by name, so that the order of the page's rows never matters.
    """
    sign = -1.0 if higher_is_better else 1.0
    rows = sorted(items, key=lambda e: (e.score is None, sign * (e.score or 0.0), e.system.casefold(), e.system))
    result: list[tuple[int | None, ScoredT]] = []
    rank, last = 0, None
    better: set[tuple[str, str | None]] = set()
    level: set[tuple[str, str | None]] = set()
    for item in rows:
        if item.score is not None and (item.score != last or rank == 0):
            better |= level
            level.clear()
            rank, last = len(better) + 1, item.score
        level.add((item.system, item.written))
        result.append((rank if item.score is not None else None, item))
    return result


def mark_doubles(order: Sequence[Draft]) -> None:
    """Give each further entry of a system a mark in its note: its date where that tells them apart, else ``#2``.

    Args:
        order: entries, best first; updated.
    """
    doubles: dict[str, list[Draft]] = {}
    for draft in order:
        if draft.system != UNNAMED:
            doubles.setdefault(draft.key, []).append(draft)
    for same in doubles.values():
        dates = {draft.date for draft in same}
        for number, draft in enumerate(same[1:], start=2):
            mark = draft.date if draft.date and len(dates) == len(same) else f"#{number}"
            draft.note = " ".join(filter(None, (mark, draft.note)))


def stale_ranks(order: Sequence[tuple[int | None, Draft]]) -> list[str]:
    """A warning where the published ranks say another order than the scores."""
    names = {name for _, draft in order for name in draft.metrics}
    for column in [name for name in names if loosest(name) in RANK_COLUMNS]:
        published = [(d.metrics[column], rank, d) for rank, d in order if d.metrics.get(column) is not None and rank]
        for (shown, rank, draft), (below, lower, _) in pairwise(published):
            if shown is not None and below is not None and shown > below and rank < lower:
                text = f"{draft.system!r} has {shown:g} and is at {rank} by score"
                return [f"the published rank is stale: in {column!r} {text}"]
    return []


def ranked(entries: Iterable[Entry], *, higher_is_better: bool) -> list[Entry]:
    """Entries best first with the ranks of :func:`ranks`."""
    order = ranks(entries, higher_is_better=higher_is_better)
    return [entry if entry.rank == rank else _at(entry, rank) for rank, entry in order]


def _at(entry: Entry, rank: int | None) -> Entry:
    """A copy with another rank. Already validated values are not validated again: boards have thousands of rows."""
    return Entry.model_construct(
        rank=rank,
        system=entry.system,
        score=entry.score,
        stderr=entry.stderr,
        metrics=entry.metrics,
        date=entry.date,
        written=entry.written,
        note=entry.note,
    )
