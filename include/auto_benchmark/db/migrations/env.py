"""Alembic's environment: always online, on the connection that ``migrate.upgrade`` hands over."""

from typing import Any

from alembic import context
from sqlalchemy import Connection, text

from auto_benchmark.db.migrate import VERSION_TABLE
from auto_benchmark.db.models import SCHEMA, Base


def include_name(name: str | None, kind: str, _parents: Any) -> bool:
    """Look at nothing but our own schema: the database may hold other people's tables."""
    return name == SCHEMA if kind == "schema" else True


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        version_table=VERSION_TABLE,
        version_table_schema=SCHEMA,
        include_schemas=True,
        include_name=include_name,
        compare_type=True,
        compare_server_default=True,
    )
    with context.begin_transaction():
        context.run_migrations()


bind = context.config.attributes["connection"]
if isinstance(bind, Connection):
    run(bind)
else:
    with bind.connect() as opened:
        opened.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
        opened.commit()
        run(opened)
        opened.commit()
