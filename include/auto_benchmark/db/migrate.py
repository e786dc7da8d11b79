"""Bring a database to the newest schema; safe to be called by several processes at once."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import text

from auto_benchmark.db.engine import engine
from auto_benchmark.db.models import SCHEMA

MIGRATIONS = Path(__file__).resolve().parent / "migrations"
VERSION_TABLE = "schema_version"
LOCK = 0x6175746F62656E63
"""Key of the advisory lock: 'autobenc' as ASCII."""


def alembic_config() -> Config:
    """Alembic's configuration; there is no ini file, because the library is installed as a package."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    return config


def upgrade(url: str, revision: str = "head") -> None:
    """Create or upgrade the schema of the database at ``url``. One process does the work, others wait for it."""
    bind = engine(url)
    try:
        with bind.connect() as connection:
            connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": LOCK})
            connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
            connection.commit()  # session-level lock: it outlives the transaction, not the connection
            config = alembic_config()
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
            connection.commit()
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": LOCK})
            connection.commit()
    finally:
        bind.dispose()
