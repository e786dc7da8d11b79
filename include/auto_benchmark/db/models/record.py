"""What the system reports to people: its decisions, escalations, digests and audits."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from auto_benchmark.db.models.base import Base, Id, Now, Project, ProjectKey


class DecisionLog(Base):
    """One automatic decision with its reason and the ids of its inputs; written once, never changed."""

    __tablename__ = "decision_log"
    __table_args__ = (
        UniqueConstraint("project", "key"),
        Index(None, "project", "created_at"),
        Index("ix_decision_log_subject", "project", "kind", "subject", "created_at", "id"),
    )

    id: Mapped[Id]
    project: Mapped[Project]
    key: Mapped[str]
    kind: Mapped[str]
    subject: Mapped[str]
    reason: Mapped[str]
    inputs: Mapped[dict[str, Any]]
    created_at: Mapped[Now]


class Escalation(Base):
    """Something that needs a person, with a written brief; raised once per key.

    ``answer`` is what the person said where later decisions rest on it: ``approved`` or ``rejected``.
    """

    __tablename__ = "escalations"
    __table_args__ = (CheckConstraint("answer IN ('approved', 'rejected')", name="answer"),)

    project: Mapped[ProjectKey]
    key: Mapped[str] = mapped_column(primary_key=True)
    title: Mapped[str]
    brief: Mapped[str]
    inputs: Mapped[dict[str, Any]]
    created_at: Mapped[Now]
    resolved_at: Mapped[datetime | None]
    resolution: Mapped[str | None]
    answer: Mapped[str | None]


class Digest(Base):
    """The digest of one week; ``week`` is its Monday."""

    __tablename__ = "digests"

    project: Mapped[ProjectKey]
    week: Mapped[date] = mapped_column(primary_key=True)
    markdown: Mapped[str]
    facts: Mapped[dict[str, Any]]
    created_at: Mapped[Now]
    sent_at: Mapped[datetime | None]


class CycleAudit(Base):
    """The checks of one cycle."""

    __tablename__ = "cycle_audits"

    project: Mapped[ProjectKey]
    cycle: Mapped[str] = mapped_column(primary_key=True)
    passed: Mapped[bool]
    checks: Mapped[list[Any]]
    audited_at: Mapped[Now]
