"""Leaderboards, their snapshots and the entries of those."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from auto_benchmark.db.models.base import SCHEMA, Base, Id, Now, Project


class Leaderboard(Base):
    """A watched board as declared; ``spec`` is the declaration. Removed boards become inactive, never deleted."""

    __tablename__ = "leaderboards"
    __table_args__ = (UniqueConstraint("project", "name"),)

    id: Mapped[Id]
    project: Mapped[Project]
    name: Mapped[str]
    metric: Mapped[str]
    higher_is_better: Mapped[bool]
    position: Mapped[int]
    active: Mapped[bool]
    spec: Mapped[dict[str, Any]]
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    created_at: Mapped[Now]


class LeaderboardSnapshot(Base):
    """A board as it was at ``fetched_at`` and still at ``last_seen_at``.

    ``our_*`` and ``leader*`` repeat what the entries say, so that histories need no join over all entries.
    ``set_aside`` lists the rows that do not count as ours although they bear our name, or look so: name, score, whose,
    since. ``compared_at`` is set once, when the changes since ``compared_with`` have been recorded.
    """

    __tablename__ = "leaderboard_snapshots"
    __table_args__ = (
        UniqueConstraint("leaderboard_id", "fetched_at", "content_hash"),
        CheckConstraint("status IN ('ok', 'refused', 'stale')", name="status"),
        Index(None, "leaderboard_id", "status", text("fetched_at DESC")),
    )

    id: Mapped[Id]
    project: Mapped[Project]
    leaderboard_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(f"{SCHEMA}.leaderboards.id", ondelete="CASCADE")
    )
    fetched_at: Mapped[datetime]
    last_seen_at: Mapped[datetime]
    content_hash: Mapped[str]
    status: Mapped[str]
    reason: Mapped[str]
    raw_uri: Mapped[str | None]
    warnings: Mapped[list[Any]]
    n_entries: Mapped[int]
    our_rank: Mapped[int | None]
    our_score: Mapped[float | None]
    leader: Mapped[str | None]
    leader_score: Mapped[float | None]
    runner_up_score: Mapped[float | None]
    compared_with: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(f"{SCHEMA}.leaderboard_snapshots.id", ondelete="SET NULL"), index=True
    )
    compared_at: Mapped[datetime | None]
    alerts: Mapped[list[Any]] = mapped_column(default=list)
    set_aside: Mapped[list[Any]] = mapped_column(default=list)


class LeaderboardEntry(Base):
    """One row of a snapshot; ``position`` counts from 0, best first.

    The project is not a foreign key here, because the snapshot's is: checking it for every entry makes storing a
    board take two thirds longer.
    """

    __tablename__ = "leaderboard_entries"

    snapshot_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(f"{SCHEMA}.leaderboard_snapshots.id", ondelete="CASCADE"), primary_key=True
    )
    position: Mapped[int] = mapped_column(primary_key=True)
    project: Mapped[str]
    rank: Mapped[int | None]
    system: Mapped[str]
    score: Mapped[float | None]
    stderr: Mapped[float | None]
    metrics: Mapped[dict[str, Any] | None]
    date: Mapped[str | None]
    note: Mapped[str | None]
    url: Mapped[str | None]
