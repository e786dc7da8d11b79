"""Competition ranking: 1, 1, 3. Ties are decided on the value as published."""

from __future__ import annotations

from collections.abc import Iterable

from auto_benchmark.leaderboards.entry import Entry


def ranked(entries: Iterable[Entry], *, higher_is_better: bool) -> list[Entry]:
    """Entries best first with competition ranks; unscored ones last, without a rank.

    Equal scores share a rank and are ordered by name, so that the order of the page's rows never matters.
    """
    sign = -1.0 if higher_is_better else 1.0
    rows = sorted(entries, key=lambda e: (e.score is None, sign * (e.score or 0.0), e.system.casefold(), e.system))
    result: list[Entry] = []
    rank, last = 0, None
    for position, entry in enumerate(rows, start=1):
        if entry.score is not None and (entry.score != last or rank == 0):
            rank, last = position, entry.score
        place = rank if entry.score is not None else None
        result.append(entry if entry.rank == place else _at(entry, place))
    return result


def _at(entry: Entry, rank: int | None) -> Entry:
    """A copy with another rank. Already validated values are not validated again: boards have thousands of rows."""
    return Entry.model_construct(
        rank=rank,
        system=entry.system,
        score=entry.score,
        stderr=entry.stderr,
        metrics=entry.metrics,
        date=entry.date,
        note=entry.note,
    )
