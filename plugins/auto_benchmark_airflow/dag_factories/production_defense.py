"""Builds ``production_defense``: measure production again, confirm an alarm, compare, respond."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import DAG, TaskGroup, chain

from auto_benchmark_airflow.dag_factories.defaults import WHATEVER_WAS_SKIPPED, project_dag, step, tell
from auto_benchmark_airflow.dag_factories.experiment_sweep import NORMAL, POOLS, TRIAL_LIMIT
from auto_benchmark_airflow.dag_factories.projects import Project
from auto_benchmark_airflow.dag_factories.trials import trials
from auto_benchmark_airflow.operators.pipeline import PipelineOperator

NAME = "production_defense"


def build(project: Project, doc: str) -> DAG:
    """The DAG of one project."""

    def planned(group: str, function: str, **arguments: Any) -> tuple[PipelineOperator, Any]:
        with TaskGroup(group):
            plan = step(project, f"{NAME}.{function}", task_id="plan", each="trial_id", **arguments)
            return plan, trials(project, plan, execution_timeout=TRIAL_LIMIT, pool=POOLS[NORMAL])

    with project_dag(project, NAME, doc, limit=timedelta(hours=12)) as dag:
        reconcile = step(project, f"{NAME}.reconcile", migrates=True)
        leading = step(project, f"{NAME}.is_leading", may_skip=True)
        promises = step(project, f"{NAME}.check_promises", publishes=True)
        again = planned("measure", "plan_defense")
        detect = step(project, f"{NAME}.detect", may_skip=True, trigger_rule=WHATEVER_WAS_SKIPPED)
        entrants = step(project, f"{NAME}.watch_entrants", trigger_rule=WHATEVER_WAS_SKIPPED)
        alarms = {"alarms": detect.output}
        fresh = planned("confirm", "plan_confirmation", arguments=alarms)
        confirmed = step(
            project, f"{NAME}.confirm_alarms", arguments=alarms, may_skip=True, trigger_rule=WHATEVER_WAS_SKIPPED
        )
        regressions = {"regressions": confirmed.output}
        before = planned("compare", "plan_comparison", arguments=regressions)
        respond = step(
            project, f"{NAME}.respond", arguments=regressions, trigger_rule=WHATEVER_WAS_SKIPPED, publishes=True
        )
        chain(reconcile, [leading, promises])
        chain(leading, again[0])
        chain([*again], detect, fresh[0])
        chain([*again], entrants)
        chain([*fresh], confirmed, before[0])
        chain([*before], respond)
        chain([promises, entrants, respond], tell(project))
    return dag
