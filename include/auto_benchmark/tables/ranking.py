"""Competition ranking: 1, 1, 3. Ties are decided on the value as published."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from auto_benchmark.tables.entry import Entry


class Scored(Protocol):
    """Anything with a name and a score."""

    @property
    def system(self) -> str:
        """Its name."""

    @property
    def score(self) -> float | None:
        """Its score; None when it has none."""


ScoredT = TypeVar("ScoredT", bound=Scored)


def ranks(items: Iterable[ScoredT], *, higher_is_better: bool) -> list[tuple[int | None, ScoredT]]:
    """Items best first, each with its competition rank; unscored ones last, without a rank.

    Equal scores share a rank and are ordered by name, so that the order of the page's rows never matters.
    """
    sign = -1.0 if higher_is_better else 1.0
    rows = sorted(items, key=lambda e: (e.score is None, sign * (e.score or 0.0), e.system.casefold(), e.system))
    result: list[tuple[int | None, ScoredT]] = []
    rank, last = 0, None
    for position, item in enumerate(rows, start=1):
        if item.score is not None and (item.score != last or rank == 0):
            rank, last = position, item.score
        result.append((rank if item.score is not None else None, item))
    return result


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
