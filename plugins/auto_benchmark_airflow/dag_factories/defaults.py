"""What all DAGs of the project share: owner, retries, limits, documentation, and the step as a task."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import DAG, CronTriggerTimetable, TriggerRule

from auto_benchmark_airflow.dag_factories.projects import Project
from auto_benchmark_airflow.operators.pipeline import PipelineOperator

OWNER = "auto-benchmark"
TAG = "auto-benchmark"
WHATEVER_WAS_SKIPPED = TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS
"""Runs when nothing failed and at least one direct predecessor did its work."""
TASKS: dict[str, Any] = {
    "owner": OWNER,
    "retries": 2,
    "retry_delay": timedelta(seconds=10),
    "retry_exponential_backoff": True,
    "max_retry_delay": timedelta(minutes=5),
    "execution_timeout": timedelta(minutes=15),
}


BY_CRON = object()


def project_dag(
    project: Project, name: str, doc: str, *, schedule: Any = BY_CRON, limit: timedelta, **more: Any
) -> DAG:
    """A DAG of one project.

    Args:
        project: whose.
        name: the DAG's name without the project.
        doc: the DAG file's docstring, shown in the UI.
        schedule: anything but the project's cron expression; None for a DAG that is started by hand.
        limit: after which a run is given up.
        more: further arguments of the DAG.
    """
    if schedule is BY_CRON:
        schedule = timetable(project, name)
    fault = f"**No schedule:** `{project.fault}`\n\n" if project.fault else ""
    return DAG(
        dag_id=project.dag_id(name),
        description=doc.strip().splitlines()[0],
        doc_md=fault + doc,
        schedule=schedule,
        catchup=False,
        max_active_runs=1,
        dagrun_timeout=limit,
        default_args=TASKS,
        tags=[TAG, f"project:{project.name}", *(["config-error"] if project.fault else [])],
        render_template_as_native_obj=False,
        **more,
    )


def timetable(project: Project, name: str) -> CronTriggerTimetable | None:
    """The project's cron expression for the DAG; None while its schedule is faulty."""
    cron = project.cron(name)
    return CronTriggerTimetable(cron, timezone=project.schedule.timezone) if cron else None


def gap_widened(project: Project) -> str:
    """Name of the asset that the scrape updates when we fell further behind #1."""
    return f"auto_benchmark_gap_widened_{project.name}"


def step(project: Project, path: str, *, task_id: str | None = None, **arguments: Any) -> PipelineOperator:
    """The pipeline function ``path`` as a task, called like the function unless ``task_id`` says otherwise."""
    return PipelineOperator(task_id=task_id or path.rpartition(".")[2], step=path, project=project.name, **arguments)


def tell(project: Project) -> Any:
    """Tells Slack what is new when all before it has ended, however; its own failure never fails the run."""
    return step(project, "slack.notify").as_teardown()


def mapped(
    project: Project, path: str, over: PipelineOperator, *, task_id: str | None = None, **arguments: Any
) -> Any:
    """The pipeline function ``path`` once per element that the task ``over`` returned."""
    partial = PipelineOperator.partial(
        task_id=task_id or path.rpartition(".")[2], step=path, project=project.name, **arguments
    )
    return partial.expand(arguments=over.output)
