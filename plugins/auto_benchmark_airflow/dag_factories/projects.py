"""What the DAG files need to know about projects while they are parsed: names and schedules, nothing heavy."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache

from auto_benchmark.errors import ConfigError
from auto_benchmark.project.configuration import (
    DEFAULT_PROJECT,
    load_optional,
    project_directory,
    project_names,
)
from auto_benchmark.registry.schedule import ScheduleFile
from auto_benchmark.settings import Settings

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ScheduledProject:
    """One project as its DAGs see it.

    Attributes:
        fault: why ``schedule.yaml`` cannot be used; its DAGs exist without a schedule then, and say so.
    """

    name: str
    schedule: ScheduleFile
    fault: str | None = None

    def dag_id(self, dag: str) -> str:
        """The DAG's id: the plain name for the default project, ``<project>__<name>`` for any other."""
        return dag if self.name == DEFAULT_PROJECT else f"{self.name}__{dag}"

    def cron(self, dag: str) -> str | None:
        """When the DAG runs by itself; None while the schedule is faulty."""
        return None if self.fault else str(getattr(self.schedule.schedule, dag))


@cache
def projects() -> tuple[ScheduledProject, ...]:
    """Every declared project. A faulty schedule stops the runs of its own project alone."""
    settings = Settings()
    return tuple(_load(settings, name) for name in project_names(settings))


def _load(settings: Settings, name: str) -> ScheduledProject:
    try:
        schedule = load_optional(ScheduleFile, project_directory(settings, name) / "schedule.yaml")
    except ConfigError as error:
        log.warning("project %s has no schedule: %s", name, error)
        return ScheduledProject(name, ScheduleFile(), fault=str(error))
    return ScheduledProject(name, schedule)
