"""Trials and what they measured."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from auto_benchmark.db.models.base import SCHEMA, Base, Id, Leased, Now, Project, ProjectKey, Tree


class Trial(Leased, Base):
    """One configuration, one seed, one stage, one purpose; it may serve several experiments.

    ``config_hash`` covers solution, parameters, benchmark and its version; ``tree`` is the code. ``fingerprint`` describes
    where it ran (code, libraries, hardware); trials may be pooled only where ``fingerprint_hash`` is equal.
    """

    __tablename__ = "trials"
    __table_args__ = (
        UniqueConstraint("project", "config_hash", "benchmark_version", "stage", "subset", "seed", "purpose", "tree"),
        CheckConstraint("state IN ('planned', 'running', 'done', 'failed', 'cancelled')", name="state"),
        Index(
            "ix_trials_waiting",
            "project",
            "queue",
            text("priority DESC"),
            "id",
            postgresql_where=text("state IN ('planned', 'running')"),
        ),
        Index("ix_trials_pool", "project", "solution", "benchmark", "benchmark_version", "stage", "fingerprint_hash"),
        Index(None, "experiment_id"),
    )

    id: Mapped[Id]
    project: Mapped[Project]
    experiment_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey(f"{SCHEMA}.experiments.id", ondelete="SET NULL")
    )
    solution: Mapped[str]
    params: Mapped[dict[str, Any]]
    config_hash: Mapped[str]
    tree: Mapped[Tree]
    benchmark: Mapped[str]
    benchmark_version: Mapped[str]
    stage: Mapped[str]
    split: Mapped[str]
    subset: Mapped[float]
    seed: Mapped[int] = mapped_column(BigInteger)
    purpose: Mapped[str]
    budget_s: Mapped[float]
    queue: Mapped[str]
    priority: Mapped[float]
    state: Mapped[str]
    attempts: Mapped[int] = mapped_column(server_default="0")
    failures: Mapped[list[Any]] = mapped_column(default=list)
    failure_class: Mapped[str | None]
    message: Mapped[str | None]
    artifact_uri: Mapped[str | None]
    fingerprint: Mapped[dict[str, Any] | None]
    fingerprint_hash: Mapped[str | None]
    wall_s: Mapped[float | None]
    gpu_seconds: Mapped[float | None]
    cost: Mapped[float | None]
    created_at: Mapped[Now]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class MetricValue(Base):
    """One metric of one trial over the whole split, or over one slice of it (``slice`` is '' for the whole)."""

    __tablename__ = "metric_values"
    __table_args__ = (Index(None, "project", "name"),)

    trial_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(f"{SCHEMA}.trials.id", ondelete="CASCADE"), primary_key=True
    )
    slice: Mapped[str] = mapped_column(primary_key=True, server_default="")
    name: Mapped[str] = mapped_column(primary_key=True)
    project: Mapped[Project]
    value: Mapped[float]


class ItemResults(Base):
    """Per-item results of one trial and metric, as one JSON object.

    They are always read whole (a decision needs every item of a trial), never searched by item; a row per item would
    cost about fifty bytes of overhead for eight of payload, and a hundred times as many rows to insert.
    """

    __tablename__ = "item_results"

    trial_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey(f"{SCHEMA}.trials.id", ondelete="CASCADE"), primary_key=True
    )
    metric: Mapped[str] = mapped_column(primary_key=True)
    project: Mapped[Project]
    items: Mapped[dict[str, Any]]


class SplitQueries(Base):
    """How often each split of a benchmark has been asked, and what for."""

    __tablename__ = "split_queries"

    project: Mapped[ProjectKey]
    benchmark: Mapped[str] = mapped_column(primary_key=True)
    benchmark_version: Mapped[str] = mapped_column(primary_key=True)
    split: Mapped[str] = mapped_column(primary_key=True)
    purpose: Mapped[str] = mapped_column(primary_key=True)
    queries: Mapped[int] = mapped_column(BigInteger)
