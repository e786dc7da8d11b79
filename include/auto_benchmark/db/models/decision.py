"""Decisions of the gate, and the configurations that they put into production."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from auto_benchmark.db.models.base import SCHEMA, Base, Id, Now, Project, Tree


class PromotionDecision(Base):
    """What the gate said at one look of one experiment.

    Evidence and decision are kept as the exact text, so that a replay can be compared byte by byte.
    """

    __tablename__ = "promotion_decisions"
    __table_args__ = (UniqueConstraint("experiment_id", "look"), Index(None, "project", "decided_at"))

    id: Mapped[Id]
    project: Mapped[Project]
    experiment_id: Mapped[int] = mapped_column(BigInteger, ForeignKey(f"{SCHEMA}.experiments.id", ondelete="CASCADE"))
    look: Mapped[int]
    verdict: Mapped[str]
    reason: Mapped[str]
    evidence: Mapped[str]
    decision: Mapped[str]
    sha256: Mapped[str]
    trial_ids: Mapped[list[Any]]
    alpha_spent: Mapped[float | None]
    alpha_wealth: Mapped[float | None]
    decided_at: Mapped[Now]


class ProductionConfig(Base):
    """A configuration while it was in production (or the challenger); the open row is the current one."""

    __tablename__ = "production_configs"
    __table_args__ = (
        Index(
            "uq_production_configs_current",
            "project",
            "role",
            unique=True,
            postgresql_where=text("closed_at IS NULL"),
        ),
        UniqueConstraint("decision_id", "role"),
        Index(None, "project", "opened_at"),
    )

    id: Mapped[Id]
    project: Mapped[Project]
    role: Mapped[str]
    solution: Mapped[str]
    benchmark: Mapped[str]
    benchmark_version: Mapped[str]
    params: Mapped[dict[str, Any]]
    config_hash: Mapped[str]
    tree: Mapped[Tree]
    scores: Mapped[dict[str, Any]]
    hypothesis_id: Mapped[str | None]
    decision_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(f"{SCHEMA}.promotion_decisions.id", ondelete="SET NULL")
    )
    restores: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(f"{SCHEMA}.production_configs.id", ondelete="SET NULL")
    )
    reason: Mapped[str]
    opened_at: Mapped[Now]
    closed_at: Mapped[datetime | None]
    closed_reason: Mapped[str | None]
