"""What is new for people is derived from these rows: changes on boards, escalations, finished weeks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from auto_benchmark.db.models import Digest, Escalation, Leaderboard, LeaderboardSnapshot
from auto_benchmark.leaderboards.alert import Alert


@dataclass(frozen=True, slots=True)
class BoardNews:
    """What one snapshot changed. ``old_rank`` is ours before, ``alerts`` the lines that were recorded with it."""

    snapshot_id: int
    board: str
    at: datetime
    rank: int | None
    old_rank: int | None
    alerts: Sequence[Alert]


@dataclass(frozen=True, slots=True)
class Raised:
    """An escalation when it was raised."""

    key: str
    title: str
    brief: str
    inputs: dict[str, Any]
    at: datetime


@dataclass(frozen=True, slots=True)
class Week:
    """The digest of one week as facts."""

    week: date
    facts: dict[str, Any]
    at: datetime


def of_boards(*, session: Session, project: str, since: datetime) -> list[BoardNews]:
    """Compared snapshots, oldest first."""
    new, old = LeaderboardSnapshot, aliased(LeaderboardSnapshot)
    query = (
        select(new.id, Leaderboard.name, new.compared_at, new.our_rank, old.our_rank, new.alerts)
        .join(Leaderboard, Leaderboard.id == new.leaderboard_id)
        .outerjoin(old, old.id == new.compared_with)
        .where(new.project == project, new.compared_at >= since)
        .order_by(new.compared_at, new.id)
    )
    return [
        BoardNews(snapshot, board, at, rank, before, [Alert.stored(alert) for alert in alerts])
        for snapshot, board, at, rank, before, alerts in session.execute(query)
    ]


def escalations(*, session: Session, project: str, since: datetime) -> list[Raised]:
    """Escalations raised since a moment, closed ones too, oldest first."""
    e = Escalation
    query = select(e).where(e.project == project, e.created_at >= since).order_by(e.created_at, e.key)
    return [Raised(r.key, r.title, r.brief, r.inputs, r.created_at) for r in session.scalars(query)]


def weeks(*, session: Session, project: str, first: date, before: date) -> list[Week]:
    """Digests of the weeks (their Mondays) in ``[first, before)``."""
    d = Digest
    query = select(d).where(d.project == project, d.week >= first, d.week < before).order_by(d.week)
    return [Week(r.week, r.facts, r.created_at) for r in session.scalars(query)]
