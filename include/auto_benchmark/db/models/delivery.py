"""What leaves the system: submissions and messages, each through the outbox."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from auto_benchmark.db.models.base import SCHEMA, Base, Id, Leased, Now, Project


class Submission(Base):
    """One configuration handed in to one board. The idempotency key travels with it to the board."""

    __tablename__ = "submissions"
    __table_args__ = (
        UniqueConstraint("project", "idempotency_key"),
        CheckConstraint("state IN ('pending', 'sent', 'accepted', 'refused')", name="state"),
        Index(None, "leaderboard_id", "created_at"),
    )

    id: Mapped[Id]
    project: Mapped[Project]
    leaderboard_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(f"{SCHEMA}.leaderboards.id", ondelete="CASCADE")
    )
    production_config_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(f"{SCHEMA}.production_configs.id", ondelete="CASCADE")
    )
    idempotency_key: Mapped[str]
    state: Mapped[str]
    receipt: Mapped[dict[str, Any] | None]
    score: Mapped[float | None]
    created_at: Mapped[Now]
    updated_at: Mapped[Now]


class OutboxMessage(Leased, Base):
    """Something to be sent to the world, written in the transaction that decided it."""

    __tablename__ = "outbox"
    __table_args__ = (
        UniqueConstraint("project", "topic", "idempotency_key"),
        CheckConstraint("state IN ('pending', 'sent', 'dead')", name="state"),
        Index("ix_outbox_due", "due_at", "id", postgresql_where=text("state = 'pending'")),
    )

    id: Mapped[Id]
    project: Mapped[Project]
    topic: Mapped[str]
    idempotency_key: Mapped[str]
    payload: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(server_default="pending")
    attempts: Mapped[int] = mapped_column(server_default="0")
    due_at: Mapped[Now]
    last_error: Mapped[str | None]
    response: Mapped[dict[str, Any] | None]
    created_at: Mapped[Now]
    sent_at: Mapped[datetime | None]
