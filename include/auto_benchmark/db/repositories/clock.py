"""Which moment a statement means: the one given, or the database's own clock."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, DateTime, cast, func, literal


def at(now: datetime | None) -> ColumnElement[datetime]:
    """``now``, or the database's clock (not the start of the transaction) when None."""
    if now is None:
        return func.clock_timestamp()
    if now.tzinfo is None:
        raise ValueError("a moment needs a timezone")
    return literal(now, DateTime(timezone=True))


def after(now: datetime | None, seconds: float) -> ColumnElement[Any]:
    """``seconds`` after :func:`at`."""
    return cast(at(now) + literal(timedelta(seconds=seconds)), DateTime(timezone=True))
