"""Builds ``report_digest``: the week's digest, the technical log, the changelog."""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import DAG

from auto_benchmark_airflow.dag_factories.defaults import project_dag, step, tell
from auto_benchmark_airflow.dag_factories.projects import Project

NAME = "report_digest"
LAST_WEEK_ON_SCHEDULE = "{{ (dag_run.run_after - macros.timedelta(days=dag_run.run_type == 'scheduled')).date() }}"
"""The scheduled run on Monday reports the week that ended the day before; a run by hand reports the present one."""


def build(project: Project, doc: str) -> DAG:
    """The DAG of one project."""
    with project_dag(project, NAME, doc, limit=timedelta(hours=1)) as dag:
        reconcile = step(project, f"{NAME}.reconcile", migrates=True)
        digest = step(
            project, f"{NAME}.write_digest_of", task_id="write_digest", arguments={"day": LAST_WEEK_ON_SCHEDULE}
        )
        logs = step(project, f"{NAME}.write_logs", publishes=True)
        overdue = step(project, "overdue.check_overdue")
        reconcile >> digest >> [logs, overdue] >> tell(project)
    return dag
