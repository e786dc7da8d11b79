"""Builds ``leaderboard_scrape``: one mapped task per board, then one look at the whole landscape."""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import DAG, TriggerRule

from auto_benchmark_airflow.dag_factories.defaults import gap_widened, mapped, project_dag, step, tell
from auto_benchmark_airflow.dag_factories.projects import Project

NAME = "leaderboard_scrape"


def build(project: Project, doc: str) -> DAG:
    """The DAG of one project."""
    with project_dag(project, NAME, doc, limit=timedelta(hours=1)) as dag:
        reconcile = step(project, f"{NAME}.reconcile", migrates=True)
        boards = step(project, f"{NAME}.board_names", each="board_name")
        scraped = mapped(project, f"{NAME}.scrape_board", boards, max_active_tis_per_dagrun=16)
        landscape = step(
            project,
            f"{NAME}.update_landscape",
            arguments={"cycle": "{{ dag_run.run_after | ds }}"},
            trigger_rule=TriggerRule.ALL_DONE,
            publishes=True,
            announces={"research_ingest": gap_widened(project)},
        )
        overdue = step(project, "overdue.check_overdue", trigger_rule=TriggerRule.ALL_DONE)
        reconcile >> boards >> scraped >> landscape
        scraped >> overdue
        [landscape, overdue] >> tell(project)
    return dag
