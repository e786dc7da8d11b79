"""Builds ``research_ingest``: papers in, hypotheses out; weekly, or when we fell further behind."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import DAG, Asset, AssetOrTimeSchedule, chain

from auto_benchmark_airflow.dag_factories.defaults import gap_widened, project_dag, step, tell, timetable
from auto_benchmark_airflow.dag_factories.projects import Project

NAME = "research_ingest"
STEPS = (
    "screen_relevance",
    "extract_techniques",
    "assess_applicability",
    "write_research_log",
    "generate_hypotheses",
)


def build(project: Project, doc: str) -> DAG:
    """The DAG of one project."""
    widened, weekly = [Asset(gap_widened(project))], timetable(project, NAME)
    schedule: Any = AssetOrTimeSchedule(timetable=weekly, assets=widened) if weekly else widened
    with project_dag(project, NAME, doc, schedule=schedule, limit=timedelta(hours=6)) as dag:
        chain(
            step(project, f"{NAME}.reconcile", migrates=True),
            step(project, f"{NAME}.fetch_papers", execution_timeout=timedelta(hours=2)),
            *(step(project, f"{NAME}.{name}") for name in STEPS),
            tell(project),
        )
    return dag
