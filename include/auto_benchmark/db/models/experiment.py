"""Experiments: the test of a hypothesis, or of production against itself (A/A)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped

from auto_benchmark.db.models.base import Base, Id, Now, Project, Tree


class Experiment(Base):
    """A candidate configuration against a control. ``key`` is the hypothesis id, or names the run otherwise."""

    __tablename__ = "experiments"
    __table_args__ = (UniqueConstraint("project", "kind", "key"),)

    id: Mapped[Id]
    project: Mapped[Project]
    kind: Mapped[str]
    key: Mapped[str]
    hypothesis_id: Mapped[str | None]
    solution: Mapped[str]
    benchmark: Mapped[str]
    benchmark_version: Mapped[str]
    params: Mapped[dict[str, Any]]
    config_hash: Mapped[str]
    tree: Mapped[Tree]
    control_params: Mapped[dict[str, Any] | None]
    control_config_hash: Mapped[str | None]
    control_tree: Mapped[Tree]
    outcome: Mapped[str | None]
    reason: Mapped[str]
    started_at: Mapped[Now]
    finished_at: Mapped[datetime | None]
