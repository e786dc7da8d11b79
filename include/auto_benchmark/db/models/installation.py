"""What decides which items a benchmark's search and gate splits hold here."""

from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from auto_benchmark.db.models.base import Base, Now, ProjectKey


class InstallationSecret(Base):
    """A secret of the installation, in hexadecimal. No archive holds it: an import draws a new one."""

    __tablename__ = "installation_secrets"

    name: Mapped[str] = mapped_column(primary_key=True)
    secret: Mapped[str]
    drawn_at: Mapped[Now]


class GateDraw(Base):
    """The gate's items were drawn anew; the first draw, number 1, has no row."""

    __tablename__ = "gate_draws"

    project: Mapped[ProjectKey]
    benchmark: Mapped[str] = mapped_column(primary_key=True)
    benchmark_version: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    reason: Mapped[str]
    drawn_at: Mapped[Now]
