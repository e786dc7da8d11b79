"""All rows of one project out of a database, and into another, with their ids."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import DateTime, Table, func, insert, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from auto_benchmark.db.models import SCHEMA, Base
from auto_benchmark.errors import RefusedError

BATCH = 1000


def tables() -> list[Table]:
    """Every table, parents before children."""
    return Base.metadata.sorted_tables


def rows_of(table: Table, *, session: Session, project: str) -> Iterator[str]:
    """The project's rows of one table, each as a line of JSON; times in ISO 8601 with their zone."""
    owner = table.c.name if table.name == "projects" else table.c.project
    query = select(table).where(owner == project).order_by(*table.primary_key)
    for row in session.execute(query.execution_options(yield_per=BATCH)).mappings():
        yield json.dumps(dict(row), ensure_ascii=False, allow_nan=False, default=_plain)


def insert_rows(table: Table, lines: Iterable[str], *, session: Session) -> int:
    """Insert rows written by :func:`rows_of`; returns how many.

    Raises:
        RefusedError: when a row with the same key is there already.
    """
    batch: list[dict[str, Any]] = []
    count = 0
    for line in lines:
        batch.append(_typed(table, json.loads(line)))
        if len(batch) >= BATCH:
            count += _insert(table, batch, session)
            batch = []
    return count + (_insert(table, batch, session) if batch else 0)


def advance_identities(*, session: Session) -> None:
    """Let every identity column count on after the highest imported id."""
    for table in tables():
        for column in table.primary_key:
            if column.identity is not None:
                highest = session.scalar(select(func.max(column)))
                if highest is not None:
                    sequence = f"pg_get_serial_sequence('{SCHEMA}.{table.name}', '{column.name}')"
                    session.execute(text(f"select setval({sequence}, :highest)"), {"highest": highest})


def _insert(table: Table, batch: list[dict[str, Any]], session: Session) -> int:
    try:
        session.execute(insert(table), batch)
    except IntegrityError as error:
        raise RefusedError(
            f"{table.name}: a row with the same key is there already; import into a database without this project "
            f"and without rows of its ids ({str(error.orig).splitlines()[0]})"
        ) from None
    return len(batch)


def _typed(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    for column in table.c:
        value = row.get(column.name)
        if isinstance(value, str) and isinstance(column.type, DateTime):
            row[column.name] = datetime.datetime.fromisoformat(value)
        elif isinstance(value, str) and column.type.python_type is datetime.date:
            row[column.name] = datetime.date.fromisoformat(value)
    return row


def _plain(value: object) -> str:
    if isinstance(value, datetime.date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no JSON form")
