"""Engines and sessions on the project database."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Engine, create_engine, make_url
from sqlalchemy.orm import Session, sessionmaker

from auto_benchmark.errors import InputError


def engine(url: str, *, pool_size: int = 5) -> Engine:
    """An engine with the psycopg (version 3) driver, whatever Postgres driver ``url`` names. Times are UTC.

    Raises:
        InputError: ``url`` is not the URL of a Postgres database.
    """
    try:
        parsed = make_url(url.replace("postgres://", "postgresql://", 1))
    except Exception:  # the message must not repeat the URL: it may hold a password
        raise InputError("the database URL cannot be read; expected postgresql://user@host:port/name") from None
    if parsed.get_backend_name() != "postgresql":
        raise InputError(f"the project database must be Postgres, not {parsed.get_backend_name()}")
    return create_engine(
        parsed.set(drivername="postgresql+psycopg"),
        pool_pre_ping=True,
        json_serializer=to_json,
        pool_size=pool_size,
        max_overflow=2 * pool_size,
        connect_args={"options": "-c timezone=UTC", "application_name": "auto_benchmark", "connect_timeout": 10},
    )


def session_factory(bind: Engine) -> sessionmaker[Session]:
    """Sessions on ``bind``. The caller that opens one owns the transaction: ``with factory.begin() as session``."""
    return sessionmaker(bind, expire_on_commit=False)


def to_json(value: Any) -> str:
    """JSON without NaN and infinities, which Postgres would refuse later and less clearly. Raises ValueError."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
