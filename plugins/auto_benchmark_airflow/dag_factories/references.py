"""References of a flow in the template fields of its tasks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from airflow.sdk import Context

from auto_benchmark.flows.reference import Reference


class TaskView:
    """The run as a task sees it."""

    def __init__(self, context: Context, zone: str) -> None:
        self.context, self.zone = context, zone

    @property
    def run_id(self) -> str:
        """Name of the run."""
        return str(self.context["run_id"])

    @property
    def conf(self) -> Mapping[str, Any]:
        """What the run was started with."""
        return self.context["dag_run"].conf or {}

    @property
    def params(self) -> Mapping[str, Any]:
        """The DAG's parameters."""
        return self.context["params"]

    @property
    def moment(self) -> datetime:
        """When the run was due, in the schedule's timezone."""
        return self.context["dag_run"].run_after.astimezone(ZoneInfo(self.zone))

    @property
    def is_scheduled(self) -> bool:
        """Whether the schedule started the run."""
        return str(self.context["dag_run"].run_type) == "scheduled"

    @property
    def is_woken(self) -> bool:
        """Whether an asset started the run."""
        return str(self.context["dag_run"].run_type) == "asset_triggered"

    def result(self, step: str) -> Any:
        """What another task returned."""
        return self.context["ti"].xcom_pull(task_ids=step)


class Resolved:
    """Stands for a reference in a template field: Airflow calls ``resolve`` where it would render a template."""

    def __init__(self, reference: Reference, zone: str) -> None:
        self.reference, self.zone = reference, zone

    def resolve(self, context: Context) -> Any:
        """The reference's value in the task's run."""
        return self.reference.value(TaskView(context, self.zone))

    def __str__(self) -> str:
        return str(self.reference)


def templated(value: Any, zone: str) -> Any:
    """A step's argument as a template field takes it. A constant text stays as it is, whatever it holds."""
    return Resolved(value, zone) if isinstance(value, Reference) else value
