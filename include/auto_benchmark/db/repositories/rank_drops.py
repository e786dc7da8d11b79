"""Rank drops: changes that put somebody ahead of us, each answered by one run."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, func, select, update
from sqlalchemy.orm import Session

from auto_benchmark.db.models import CompetitiveDelta, Leaderboard
from auto_benchmark.db.repositories.clock import at
from auto_benchmark.leaderboards.delta import Change, ChangeType
from auto_benchmark.leaderboards.snapshot import RankDrop

CHANNEL = "auto_benchmark_rank_drop"
"""Channel of the notification that wakes what waits for rank drops."""


def unclaimed(*, session: Session, project: str) -> list[RankDrop]:
    """Unanswered rank drops, oldest first."""
    return [_rank_drop(row) for row in session.execute(_unclaimed(project))]


def of_snapshot(*, session: Session, snapshot_id: int) -> list[str]:
    """Systems whose rank drops were recorded with a snapshot, in the order of its changes."""
    d = CompetitiveDelta
    query = select(d.system).where(d.snapshot_id == snapshot_id, d.event_key.is_not(None)).order_by(d.position)
    return list(session.scalars(query))


def since(*, session: Session, project: str, after: datetime, limit: int) -> list[int]:
    """Ids of the newest rank drops recorded after a moment, answered or not, oldest first."""
    d = CompetitiveDelta
    mine = (d.project == project, d.event_key.is_not(None), d.recorded_at > after)
    return list(session.scalars(select(d.id).where(*mine).order_by(d.id.desc()).limit(limit)))[::-1]


def claim(*, session: Session, project: str, owner: str, now: datetime | None = None) -> list[RankDrop]:
    """Claim every unclaimed rank drop for ``owner``. Two callers never get the same event.

    The claim holds once the caller commits; plan the response in the same transaction.
    """
    d = CompetitiveDelta
    free = session.execute(_unclaimed(project).with_for_update(of=d, skip_locked=True)).all()
    if free:
        claimed = update(d).where(d.id.in_([row.id for row in free])).values(claimed_by=owner, claimed_at=at(now))
        session.execute(claimed)
    return [_rank_drop(row) for row in free]


def claimed_by(*, session: Session, project: str, owner: str) -> list[str]:
    """Keys of the rank drops that ``owner`` has claimed, for one who asks again."""
    d = CompetitiveDelta
    query = select(d.event_key).where(d.project == project, d.claimed_by == owner).order_by(d.id)
    return [key for key in session.scalars(query) if key is not None]


def count_unclaimed(*, session: Session, project: str) -> int:
    """How many rank drops wait for an answer."""
    d = CompetitiveDelta
    query = select(func.count()).where(d.project == project, d.event_key.is_not(None), d.claimed_at.is_(None))
    return session.scalar(query) or 0


def notify_unclaimed(*, session: Session, project: str) -> int:
    """Wake listeners again, on commit, if rank drops are still unclaimed. Returns how many are."""
    waiting = count_unclaimed(session=session, project=project)
    if waiting:
        notify(session=session, project=project)
    return waiting


def notify(*, session: Session, project: str) -> None:
    """Wake what waits for rank drops, on commit."""
    session.execute(select(func.pg_notify(CHANNEL, json.dumps({"project": project}))))


def _unclaimed(project: str) -> Select[*tuple[Any, ...]]:
    d = CompetitiveDelta
    columns = (d.id, d.event_key, Leaderboard.name, d.snapshot_id)
    change = (d.type, d.system, d.old, d.new, d.old_rank, d.new_rank)
    return (
        select(*columns, *change)
        .join(Leaderboard, Leaderboard.id == d.leaderboard_id)
        .where(d.project == project, d.event_key.is_not(None), d.claimed_at.is_(None))
        .order_by(d.id)
    )


def _rank_drop(row: Row[*tuple[Any, ...]]) -> RankDrop:
    return RankDrop(key=row.event_key, board=row.name, snapshot_id=row.snapshot_id, change=change_in(row))


def change_in(row: Any) -> Change:
    """The change that a row of the table holds."""
    kind = ChangeType(row.type)
    return Change(
        type=kind, system=row.system, old=row.old, new=row.new, old_rank=row.old_rank, new_rank=row.new_rank
    )
