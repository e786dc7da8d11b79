"""A board at one moment, what it says about us, and the event that somebody has passed us."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from auto_benchmark.leaderboards.aside import AsideRow
from auto_benchmark.leaderboards.delta import Change, ChangeType
from auto_benchmark.leaderboards.standing import Standing
from auto_benchmark.tables.entry import Entry


class SnapshotStatus(StrEnum):
    """``ok``: read and believed; ``refused``: read, not believed; ``stale``: could not be fetched."""

    OK = "ok"
    REFUSED = "refused"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class BoardReading:
    """One attempt to read a board, before it is stored.

    Attributes:
        content_hash: of what was read; equal hashes mean an unchanged board.
        entries: those that count, as they count.
        raw_uri: where the fetched document is kept.
        aside: rows that do not count as ours although they bear our name, or look so.
    """

    fetched_at: datetime
    content_hash: str
    entries: Sequence[Entry] = ()
    status: SnapshotStatus = SnapshotStatus.OK
    reason: str = ""
    raw_uri: str | None = None
    warnings: Sequence[str] = ()
    aside: Sequence[AsideRow] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A stored reading. ``last_seen_at`` is the last time that the same content was seen."""

    id: int
    board: str
    fetched_at: datetime
    last_seen_at: datetime
    content_hash: str
    status: SnapshotStatus
    reason: str
    entries: tuple[Entry, ...] = field(default=(), repr=False)
    aside: tuple[AsideRow, ...] = ()


@dataclass(frozen=True, slots=True)
class DatedStanding:
    """A standing, from when to when it was seen."""

    snapshot_id: int
    fetched_at: datetime
    last_seen_at: datetime
    standing: Standing


@dataclass(frozen=True, slots=True)
class RankDrop:
    """Somebody has passed us. ``key`` is the same however often the event is seen."""

    key: str
    board: str
    snapshot_id: int
    change: Change


def rank_drop_key(board: str, system: str, snapshot: str) -> str:
    """Identity of the event that ``system`` passed us on ``board`` in ``snapshot`` (its content hash and time)."""
    return hashlib.sha256("\x1f".join((board, system, snapshot)).encode()).hexdigest()


def is_rank_drop(change: Change, our_rank: int | None) -> bool:
    """Whether ``change`` put a system ahead of us, who now hold ``our_rank``."""
    if change.type is ChangeType.OVERTOOK_US:
        return True
    entered_ahead = our_rank is not None and change.new_rank is not None and change.new_rank < our_rank
    return change.type is ChangeType.NEW_ENTRANT and entered_ahead
