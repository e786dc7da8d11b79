"""The experiment queue."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from auto_benchmark.db.models.base import Base, Leased, Now, ProjectKey, Tree


class Hypothesis(Leased, Base):
    """One hypothesis. ``config_hash``, ``tree`` and ``question`` are asked once, whatever the hypothesis is called."""

    __tablename__ = "hypotheses"
    __table_args__ = (
        UniqueConstraint("project", "config_hash", "question", "tree"),
        Index("ix_hypotheses_queue", "project", "status", text("priority_score DESC"), "number"),
    )

    project: Mapped[ProjectKey]
    id: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int]
    config_hash: Mapped[str]
    tree: Mapped[Tree]
    question: Mapped[str]
    title: Mapped[str]
    claim: Mapped[str]
    source: Mapped[str]
    origin: Mapped[str] = mapped_column(server_default="")
    target_leaderboards: Mapped[list[Any]]
    implementation: Mapped[dict[str, Any]]
    priority_score: Mapped[float]
    worth: Mapped[float] = mapped_column(server_default="1")
    urgency: Mapped[str]
    status: Mapped[str]
    reason: Mapped[str]
    attempts: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[Now]
    updated_at: Mapped[Now]
