"""Papers that were read, and the techniques found in them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKeyConstraint
from sqlalchemy.orm import Mapped, mapped_column

from auto_benchmark.db.models.base import SCHEMA, Base, Now, ProjectKey


class Paper(Base):
    """One paper, by its source's own identifier (``arxiv:2401.01234``). ``assessment`` is what was made of it."""

    __tablename__ = "papers"

    project: Mapped[ProjectKey]
    id: Mapped[str] = mapped_column(primary_key=True)
    source: Mapped[str]
    title: Mapped[str]
    abstract: Mapped[str]
    url: Mapped[str | None]
    published_at: Mapped[datetime | None]
    relevant: Mapped[bool | None]
    reason: Mapped[str]
    priority: Mapped[float | None]
    disposition: Mapped[str | None]
    assessment: Mapped[dict[str, Any]]
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
