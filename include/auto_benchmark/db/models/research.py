"""Papers that were read, and the techniques found in them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.orm import Mapped, mapped_column

from auto_benchmark.db.models.base import SCHEMA, Base, Now, ProjectKey
from auto_benchmark.research.record import stage_of


def _implied_stage(context: DefaultExecutionContext) -> str:
    """The stage of a row that is inserted without one: it comes from an archive of a version without stages."""
    row = context.get_current_parameters()  # type: ignore[no-untyped-call]
    return stage_of(row["relevant"], row["disposition"], row["assessment"]).value


class Paper(Base):
    """One paper, by its source's own identifier (``arxiv:2401.01234``).

    ``assessment`` is its dossier, ``reading`` what its text says; ``stage`` says how far it has come. ``reading`` is
    empty for rows of versions that had no such column: their papers are read once more.
    """

    __tablename__ = "papers"
    __table_args__ = (
        CheckConstraint("stage IN ('fetched', 'screened', 'extracted', 'assessed', 'acted')", name="stage"),
        Index("ix_papers_stage", "project", "stage", "first_seen_at", "id"),
    )

    project: Mapped[ProjectKey]
    id: Mapped[str] = mapped_column(primary_key=True)
    source: Mapped[str]
    title: Mapped[str]
    abstract: Mapped[str]
    url: Mapped[str | None]
    published_at: Mapped[datetime | None]
    stage: Mapped[str] = mapped_column(default=_implied_stage)
    relevant: Mapped[bool | None]
    reason: Mapped[str]
    priority: Mapped[float | None]
    disposition: Mapped[str | None]
    assessment: Mapped[dict[str, Any]]
    reading: Mapped[dict[str, Any] | None]
    first_seen_at: Mapped[Now]


class Technique(Base):
    """One technique as one paper describes it."""

    __tablename__ = "techniques"
    __table_args__ = (
        ForeignKeyConstraint(
            ["project", "paper_id"], [f"{SCHEMA}.papers.project", f"{SCHEMA}.papers.id"], ondelete="CASCADE"
        ),
    )

    project: Mapped[ProjectKey]
    paper_id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    sentence: Mapped[str]
    first_seen_at: Mapped[Now]
