"""How boards stood over time, and how often they moved: readings without their entries."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from auto_benchmark.db.models import CompetitiveDelta, Leaderboard, LeaderboardSnapshot
from auto_benchmark.db.repositories.snapshots import changes_of
from auto_benchmark.leaderboards.delta import ChangeType, Delta
from auto_benchmark.leaderboards.snapshot import DatedStanding, SnapshotStatus
from auto_benchmark.leaderboards.standing import Standing


def history(*, session: Session, project: str, board: str, limit: int = 100) -> list[DatedStanding]:
    """Our rank and score, and the top's, in the newest good snapshots; oldest first."""
    s = LeaderboardSnapshot
    query = (
        select(
            s.id, s.fetched_at, s.last_seen_at, s.our_rank, s.our_score, s.leader, s.leader_score, s.runner_up_score
        )
        .join(Leaderboard, Leaderboard.id == s.leaderboard_id)
        .where(Leaderboard.project == project, Leaderboard.name == board, s.status == SnapshotStatus.OK.value)
        .order_by(s.fetched_at.desc(), s.id.desc())
        .limit(limit)
    )
    rows = session.execute(query).all()
    return [DatedStanding(row[0], row[1], row[2], Standing(*row[3:])) for row in reversed(rows)]


def our_scores(*, session: Session, project: str, board: str) -> list[float]:
    """Every score that good snapshots of a board have counted as ours, newest first."""
    s = LeaderboardSnapshot
    query = (
        select(s.our_score)
        .join(Leaderboard, Leaderboard.id == s.leaderboard_id)
        .where(Leaderboard.project == project, Leaderboard.name == board, s.status == SnapshotStatus.OK.value)
        .where(s.our_score.is_not(None))
        .group_by(s.our_score)
        .order_by(func.max(s.fetched_at).desc())
    )
    return [score for score in session.scalars(query) if score is not None]


def last_seen(*, session: Session, project: str) -> dict[str, datetime | None]:
    """Active board -> when its content was last confirmed by a good reading; None when never."""
    s = LeaderboardSnapshot
    query = (
        select(Leaderboard.name, func.max(s.last_seen_at))
        .outerjoin(s, (s.leaderboard_id == Leaderboard.id) & (s.status == SnapshotStatus.OK.value))
        .where(Leaderboard.project == project, Leaderboard.active)
        .group_by(Leaderboard.name, Leaderboard.position)
        .order_by(Leaderboard.position)
    )
    return dict(session.execute(query).tuples().all())


def changes_since(*, session: Session, project: str, after: datetime, before: datetime | None = None) -> list[Delta]:
    """Recorded changes of snapshots fetched in ``[after, before)``, oldest first, without the unchanged."""
    s, d = LeaderboardSnapshot, CompetitiveDelta
    query = (
        select(s.id)
        .where(s.project == project, s.fetched_at >= after, select(d.id).where(d.snapshot_id == s.id).exists())
        .order_by(s.fetched_at, s.id)
    )
    if before is not None:
        query = query.where(s.fetched_at < before)
    found = (changes_of(session=session, snapshot_id=snapshot_id) for snapshot_id in session.scalars(query))
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
