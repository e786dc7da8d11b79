"""Changes on a board between two snapshots, and the rank-drop events among them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from auto_benchmark.db.models.base import SCHEMA, Base, Id, Now, Project


class CompetitiveDelta(Base):
    """One change. A rank drop has an ``event_key``, and is answered once: by the run that claims it."""

    __tablename__ = "competitive_deltas"
    __table_args__ = (
        UniqueConstraint("snapshot_id", "position"),
        UniqueConstraint("event_key"),
        Index(
            "ix_competitive_deltas_unclaimed",
            "project",
            "id",
            postgresql_where=text("event_key IS NOT NULL AND claimed_at IS NULL"),
        ),
        Index(None, "leaderboard_id", "recorded_at"),
    )

    id: Mapped[Id]
    project: Mapped[Project]
    leaderboard_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(f"{SCHEMA}.leaderboards.id", ondelete="CASCADE")
    )
    snapshot_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(f"{SCHEMA}.leaderboard_snapshots.id", ondelete="CASCADE")
    )
    position: Mapped[int]
    type: Mapped[str]
    system: Mapped[str]
    old: Mapped[float | None]
    new: Mapped[float | None]
    old_rank: Mapped[int | None]
    new_rank: Mapped[int | None]
    recorded_at: Mapped[Now]
    event_key: Mapped[str | None]
    claimed_by: Mapped[str | None]
    claimed_at: Mapped[datetime | None]
