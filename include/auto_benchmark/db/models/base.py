"""What every table shares: the schema, the names of constraints, the column types."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import JSON, BigInteger, DateTime, Double, ForeignKey, Identity, MetaData, Text, func
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

SCHEMA = "auto_benchmark"

Id = Annotated[int, mapped_column(BigInteger, Identity(), primary_key=True)]
"""A surrogate key, for rows that other rows point to."""

Project = Annotated[str, mapped_column(ForeignKey(f"{SCHEMA}.projects.name", ondelete="CASCADE"))]
"""The project a row belongs to."""

ProjectKey = Annotated[
    str, mapped_column(ForeignKey(f"{SCHEMA}.projects.name", ondelete="CASCADE"), primary_key=True)
]
"""The project, as the first part of a natural primary key."""

Tree = Annotated[str, mapped_column(server_default="")]
"""The code that is run, by the name under which it is stored; '' is the solution's folder as it is at that time."""

Now = Annotated[datetime, mapped_column(server_default=func.now())]
"""The moment of the insertion, by the database's clock."""


class Base(DeclarativeBase):
    """Base of all models.

    Documents are JSON, not JSONB: JSONB rewrites numbers (1e16 comes back as an integer, -0.0 as 0.0) and the order
    of keys, so that a configuration read back would hash differently. Cast to ``jsonb`` to search in one.
    """

    metadata = MetaData(
        schema=SCHEMA,
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
        },
    )
    type_annotation_map = {
        str: Text,
        float: Double,
        datetime: DateTime(timezone=True),
        dict[str, Any]: JSON(none_as_null=True),
        list[Any]: JSON(none_as_null=True),
    }


class Leased:
    """Columns of a row that one worker at a time may hold. An expired lease may be taken by anybody."""

    lease_owner: Mapped[str | None]
    lease_expires_at: Mapped[datetime | None]
    heartbeat_at: Mapped[datetime | None]
