"""Competition ranking: 1, 1, 3. Ties are decided on the value as published."""

from __future__ import annotations

from collections.abc import Iterable

from auto_benchmark.leaderboards.entry import Entry


def ranked(entries: Iterable[Entry], *, higher_is_better: bool) -> list[Entry]:
    """Entries best first with competition ranks; unscored ones last, without a rank.

    Equal scores share a rank and are ordered by name, so that the order of the page's rows never matters.
    """
    rows = list(entries)
    sign = -1.0 if higher_is_better else 1.0
    scored = sorted(
        (e for e in rows if e.score is not None),
        key=lambda e: (sign * (e.score or 0.0), e.system.casefold(), e.system),
    )
    result: list[Entry] = []
    for position, entry in enumerate(scored, start=1):
        tied = bool(result) and result[-1].score == entry.score
        result.append(entry.model_copy(update={"rank": result[-1].rank if tied else position}))
    unscored = sorted((e for e in rows if e.score is None), key=lambda e: (e.system.casefold(), e.system))
    return result + [e.model_copy(update={"rank": None}) for e in unscored]
