"""What a command needs around a project: a migrated database, endpoints, and everything stopped that it started."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pydantic import SecretStr
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session, sessionmaker

from auto_benchmark.db.embedded import EmbeddedPostgres
from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.migrate import upgrade
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import Connection, HttpConnection

DATABASE = "auto_benchmark"


@contextlib.contextmanager
def database(settings: Settings) -> Iterator[sessionmaker[Session]]:
    """Sessions on the project database: the configured one, else the embedded Postgres of the home."""
    with contextlib.ExitStack() as stack:
        if settings.db_url is not None:
            url = settings.db_url.get_secret_value()
        else:
            url = stack.enter_context(EmbeddedPostgres(settings.root)).create_database(DATABASE)
        _upgrade(url)
        bound = engine(url, pool_size=max(5, settings.parallel_trials + 3))
        stack.callback(bound.dispose)
        yield session_factory(bound)


def _upgrade(url: str) -> None:
    """Bring the database to the newest schema. Raises AutoBenchmarkError, without the URL, when it is out of reach."""
    try:
        upgrade(url)
    except OperationalError as error:
        reason = " ".join(str(error.orig).split())[:400]
        if password := make_url(url).password:
            reason = reason.replace(str(password), "***")
        raise AutoBenchmarkError(f"the project database cannot be used: {reason}") from None


def declared_connections(settings: Settings) -> dict[str, Connection]:
    """Endpoints from the environment."""
    return {
        name: HttpConnection(url, SecretStr(token) if token else None)
        for name, (url, token) in settings.endpoints().items()
    }
