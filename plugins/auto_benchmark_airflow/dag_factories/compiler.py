"""Compiles a flow to the DAG of one project. What the DAG does is declared in ``auto_benchmark.flows`` alone."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from airflow.sdk import DAG, Asset, CronTriggerTimetable, Param, TaskGroup

from auto_benchmark.flows.flow import RANK_DROP, Flow, Parameter, Starts
from auto_benchmark_airflow.dag_factories.projects import ScheduledProject
from auto_benchmark_airflow.dag_factories.tasks import DEFAULTS, TaskMaker, asset

TAG = "auto-benchmark"


def compiled(flow: Flow, project: ScheduledProject, doc: str | None = None) -> DAG:
    """The DAG of one project.

    Args:
        flow: what it does.
        project: whose.
        doc: the DAG file's docstring, shown in the UI; the flow's own line without one.
    """
    doc = doc or flow.about
    fault = f"**No schedule:** `{project.fault}`\n\n" if project.fault else ""
    with DAG(
        dag_id=project.dag_id(flow.name),
        description=doc.strip().splitlines()[0],
        doc_md=fault + doc,
        schedule=schedule(flow, project),
        catchup=False,
        max_active_runs=1,
        dagrun_timeout=flow.limit,
        default_args=DEFAULTS,
        params={p.name: _param(p) for p in flow.parameters},
        tags=[TAG, f"project:{project.name}", *(["config-error"] if project.fault else [])],
        render_template_as_native_obj=False,
    ) as dag:
        add_tasks(flow, project)
    return dag


def _param(parameter: Parameter) -> Param:
    """A field of the trigger form; Airflow requires each whose type has no null, so one that may stay empty has it."""
    kinds = ["null", "string"] if parameter.default is None else "string"
    return Param(parameter.default, type=kinds, description=parameter.description)


def add_tasks(flow: Flow, project: ScheduledProject) -> None:
    """Make the flow's tasks and groups in the DAG at hand."""
    maker = TaskMaker(flow, project)
    groups: dict[str, TaskGroup] = {}
    for step in flow.steps:
        group = step.id.rpartition(".")[0]
        if group and group not in groups:
            groups[group] = TaskGroup(group, tooltip=flow.groups.get(group, ""))
        with groups[group] if group else nullcontext():
            maker.add(step)


def schedule(flow: Flow, project: ScheduledProject) -> Any:
    """What starts the DAG by itself; no cron expression while the project's schedule is faulty."""
    cron = project.cron(flow.name) if flow.starts in {Starts.SCHEDULE, Starts.EITHER} else None
    timetable = CronTriggerTimetable(cron, timezone=project.schedule.timezone) if cron else None
    if flow.event is None:
        return timetable
    events = [event_asset(project, flow.event)]
    if timetable is None:
        return events
    from airflow.sdk import AssetOrTimeSchedule

    return AssetOrTimeSchedule(timetable=timetable, assets=events)


def event_asset(project: ScheduledProject, event: str) -> Asset:
    """The asset that stands for an event; a rank drop is noticed by a trigger, other events by the tasks that cause them."""
    if event != RANK_DROP:
        return Asset(asset(project, event))
    from airflow.sdk import AssetWatcher

    from auto_benchmark_airflow.triggers.rank_drop import RankDropTrigger

    watcher = AssetWatcher(name=f"{event}_{project.name}", trigger=RankDropTrigger(project=project.name))
    return Asset(asset(project, event), watchers=[watcher])
