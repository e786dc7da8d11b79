"""What the pages read: sessions on the project database, and the files of a project."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session, sessionmaker

from auto_benchmark import documents
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.project.configuration import REGISTRY_FILE, load_optional, project_directory, project_names
from auto_benchmark.project.context import Context, make_context
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
from auto_benchmark.registry.schedule import ScheduleFile
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import NamedConnections


@dataclass
class World:
    """The database and the settings of this process.

    Args:
        url: finds the SQLAlchemy URL of the project database when it is first needed.
    """

    settings: Settings
    url: Callable[[], str]
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))

    @cached_property
    def sessions(self) -> sessionmaker[Session]:
        """Sessions on the project database."""
        from sqlalchemy import event

        from auto_benchmark.db.engine import engine, session_factory

        bind = engine(self.url())
        event.listen(bind, "connect", _without_jit)
        return session_factory(bind)

    @property
    def mlflow(self) -> str | None:
        """Where a browser finds MLflow; the service's own password is for no one else."""
        from auto_benchmark.tracking.mlflow_errors import without_password

        found = self.settings.mlflow_link or self.settings.mlflow_url
        return found and without_password(found)

    def projects(self) -> list[str]:
        """The projects that are configured: the default one first, as everywhere."""
        return project_names(self.settings)

    def schedule(self, project: str) -> ScheduleFile:
        """The project's ``schedule.yaml``. Raises ConfigError."""
        return load_optional(ScheduleFile, project_directory(self.settings, project) / "schedule.yaml")

    def ours(self, project: str) -> list[str]:
        """Every name of ours on the project's boards; none where its registry is away or faulty."""
        file = project_directory(self.settings, project) / REGISTRY_FILE
        try:
            return _our_names(file, file.stat().st_mtime_ns)
        except (AutoBenchmarkError, OSError):
            return []

    def context(self, project: str) -> Context:
        """What a step is given; boards and Slack are out of its reach here. Raises InputError."""
        return make_context(self.settings, self.sessions, NamedConnections({}), project=project)


@lru_cache(maxsize=64)
def _our_names(file: Path, _changed: int) -> list[str]:
    """Read anew when the file has changed: a registry of a thousand boards takes seconds."""
    declared = documents.load(CompetitiveRegistry, file).our_solution
    return [declared.name, *declared.aliases]


def _without_jit(connection: Any, _: object) -> None:
    """Pages read a few rows by index: compiling such a statement takes longer than running it."""
    connection.execute("SET jit = off")
    connection.commit()


def airflow_world() -> World:
    """The database that ``AUTO_BENCHMARK_DB_URL`` or else Airflow's Connection names."""
    from auto_benchmark_airflow.hooks.project_database import database_url

    settings = Settings()
    return World(settings, lambda: settings.db_url.get_secret_value() if settings.db_url else database_url())
