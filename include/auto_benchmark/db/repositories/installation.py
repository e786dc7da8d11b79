"""The installation's secret, drawn when it is first asked for."""

from __future__ import annotations

import secrets

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, sessionmaker

from auto_benchmark.db.models import InstallationSecret as Row

SEEDS = "split seeds"
SECRET_BYTES = 32


def seed_secret(sessions: sessionmaker[Session]) -> bytes:
    """The secret from which the seeds of search and gate come; the first process that asks draws it for all."""
    known = select(Row.secret).where(Row.name == SEEDS)
    with sessions() as session:
        found = session.scalar(known)
    if found is None:
        with sessions.begin() as session:
            drawn = {"name": SEEDS, "secret": secrets.token_hex(SECRET_BYTES)}
            session.execute(insert(Row).values(drawn).on_conflict_do_nothing())
            found = session.scalars(known).one()
    return bytes.fromhex(found)
