"""Projects."""

from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from auto_benchmark.db.models.base import Base, Now


class Project(Base):
    """One registry file. ``last_hypothesis`` is the highest H-number given out; it counts without gaps."""

    __tablename__ = "projects"

    name: Mapped[str] = mapped_column(primary_key=True)
    domain: Mapped[str]
    our_name: Mapped[str]
    solution: Mapped[str | None]
    last_hypothesis: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[Now]
