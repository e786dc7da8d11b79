"""Which thread a notice belongs to: one per board and incident.

A lost place opens an incident of its board. Everything about the board goes to the incident's thread until we have
the place back that we held before; that last notice still belongs to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from auto_benchmark.reporting.slack.notice import Notice


@dataclass(frozen=True, slots=True)
class _Open:
    root: str
    until_rank: int


def threaded(notices: Iterable[Notice]) -> list[tuple[Notice, str]]:
    """Every notice with the key of the notice that begins its thread (its own when it begins one).

    Args:
        notices: in order of time.
    """
    incidents: dict[str, str] = {}
    boards: dict[str, _Open] = {}
    found = []
    for notice in notices:
        if notice.incident is not None:
            root = incidents.setdefault(notice.incident, notice.key)
        else:
            root = _board_thread(boards, notice)
        found.append((notice, root))
    return found


def _board_thread(boards: dict[str, _Open], notice: Notice) -> str:
    if notice.board is None:
        return notice.key
    if notice.board not in boards and notice.opens_at is not None:
        boards[notice.board] = _Open(notice.key, notice.opens_at)
    current = boards.get(notice.board)
    if current is None:
        return notice.key
    if notice.opens_at is None and notice.rank is not None and notice.rank <= current.until_rank:
        del boards[notice.board]
    return current.root
