"""Changes between snapshots, and the rank drops among them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.db.models import CompetitiveDelta, Leaderboard, LeaderboardSnapshot
from auto_benchmark.db.repositories.clock import at
from auto_benchmark.leaderboards.alert import Alert
from auto_benchmark.leaderboards.delta import Change, ChangeType, Delta
from auto_benchmark.leaderboards.snapshot import RankDrop, Snapshot, is_rank_drop, rank_drop_key

CHANNEL = "auto_benchmark_rank_drop"
"""Channel of the notification that wakes what waits for rank drops."""


def record(
    *, session: Session, project: str, new: Snapshot, old: Snapshot | None, delta: Delta, now: datetime | None = None
) -> bool:
    """Record the changes that led to snapshot ``new``, once; notify listeners on commit if we were passed.

    Returns:
        Whether they were recorded by this call; False when an earlier call did it.
    """
    s = LeaderboardSnapshot
    alerts = [alert.model_dump(mode="json") for alert in delta.alerts]
    mine = (
        update(s)
        .where(s.id == new.id, s.project == project, s.compared_at.is_(None))
        .values(
            compared_at=at(now),
            compared_with=old.id if old else None,
            alerts=alerts,
        )
        .returning(s.leaderboard_id, s.our_rank)
    )
    snapshot = session.execute(mine).one_or_none()
    if snapshot is None:
        return False
    rows = _rows(project, new, snapshot, delta.changes, now)
    if rows:
        session.execute(insert(CompetitiveDelta).on_conflict_do_nothing(), rows)
    if any(row["event_key"] for row in rows):
        _notify(session, project)
    return True


def of_snapshot(*, session: Session, snapshot_id: int) -> Delta | None:
    """The recorded changes that led to a snapshot; None when it has not been compared yet."""
    s = LeaderboardSnapshot
    query = select(Leaderboard.name, s.alerts).join(Leaderboard, Leaderboard.id == s.leaderboard_id)
    head = session.execute(query.where(s.id == snapshot_id, s.compared_at.is_not(None))).one_or_none()
    if head is None:
        return None
    d = CompetitiveDelta
    rows = session.scalars(select(d).where(d.snapshot_id == snapshot_id).order_by(d.position))
    return Delta(
        board=head.name, changes=[_change(row) for row in rows], alerts=[Alert.stored(alert) for alert in head.alerts]
    )


def since(*, session: Session, project: str, after: datetime, before: datetime | None = None) -> list[Delta]:
    """Recorded changes of snapshots fetched in ``[after, before)``, oldest first, without the unchanged."""
    s, d = LeaderboardSnapshot, CompetitiveDelta
    query = (
        select(s.id)
        .where(s.project == project, s.fetched_at >= after, select(d.id).where(d.snapshot_id == s.id).exists())
        .order_by(s.fetched_at, s.id)
    )
    if before is not None:
        query = query.where(s.fetched_at < before)
    found = (of_snapshot(session=session, snapshot_id=snapshot_id) for snapshot_id in session.scalars(query))
    return [delta for delta in found if delta is not None]


def submissions_after(*, session: Session, project: str, board: str, after: datetime) -> int:
    """How many entries appeared, or changed their score, in good readings of a board after a moment."""
    s, d = LeaderboardSnapshot, CompetitiveDelta
    kinds = [kind.value for kind in (ChangeType.NEW_ENTRANT, ChangeType.IMPROVED, ChangeType.WORSENED)]
    query = (
        select(func.count())
        .select_from(d)
        .join(s, s.id == d.snapshot_id)
        .join(Leaderboard, Leaderboard.id == s.leaderboard_id)
        .where(Leaderboard.project == project, Leaderboard.name == board, s.fetched_at > after, d.type.in_(kinds))
    )
    return session.scalar(query) or 0


def unclaimed_rank_drops(*, session: Session, project: str) -> list[RankDrop]:
    """Unanswered rank drops, oldest first."""
    return [_rank_drop(row) for row in session.execute(_unclaimed(project))]


def rank_drops_of(*, session: Session, snapshot_id: int) -> list[str]:
    """Systems whose rank drops were recorded with a snapshot, in the order of its changes."""
    d = CompetitiveDelta
    query = select(d.system).where(d.snapshot_id == snapshot_id, d.event_key.is_not(None)).order_by(d.position)
    return list(session.scalars(query))


def rank_drops_since(*, session: Session, project: str, after: datetime, limit: int) -> list[int]:
    """Ids of the newest rank drops recorded after a moment, answered or not, oldest first."""
    d = CompetitiveDelta
    mine = (d.project == project, d.event_key.is_not(None), d.recorded_at > after)
    return list(session.scalars(select(d.id).where(*mine).order_by(d.id.desc()).limit(limit)))[::-1]


def claim_rank_drops(*, session: Session, project: str, owner: str, now: datetime | None = None) -> list[RankDrop]:
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


def notify_unclaimed(*, session: Session, project: str) -> int:
    """Wake listeners again, on commit, if rank drops are still unclaimed. Returns how many are."""
    d = CompetitiveDelta
    query = select(func.count()).where(d.project == project, d.event_key.is_not(None), d.claimed_at.is_(None))
    waiting = session.scalar(query) or 0
    if waiting:
        _notify(session, project)
    return waiting


def _notify(session: Session, project: str) -> None:
    session.execute(select(func.pg_notify(CHANNEL, json.dumps({"project": project}))))


def _rows(
    project: str, new: Snapshot, stored: Row[int, int | None], changes: Sequence[Change], now: datetime | None
) -> list[dict[str, Any]]:
    identity = f"{new.content_hash}@{new.fetched_at.isoformat()}"
    taken: set[str] = set()
    rows = []
    for position, change in enumerate(changes):
        key = rank_drop_key(f"{project}/{new.board}", change.system, identity)
        is_event = is_rank_drop(change, stored.our_rank) and key not in taken
        taken |= {key} if is_event else set()
        row = {
            "project": project,
            "leaderboard_id": stored.leaderboard_id,
            "snapshot_id": new.id,
            "position": position,
        }
        row |= {**change.model_dump(), "type": change.type.value, "event_key": key if is_event else None}
        rows.append(row if now is None else {**row, "recorded_at": now})
    return rows


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
    return RankDrop(key=row.event_key, board=row.name, snapshot_id=row.snapshot_id, change=_change(row))


def _change(row: Any) -> Change:
    kind = ChangeType(row.type)
    return Change(
        type=kind, system=row.system, old=row.old, new=row.new, old_rank=row.old_rank, new_rank=row.new_rank
    )
