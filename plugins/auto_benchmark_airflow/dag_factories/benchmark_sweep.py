"""Builds ``benchmark_sweep``: a sweep spec, started by hand, to its report."""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import DAG, Param

from auto_benchmark_airflow.dag_factories.defaults import project_dag, step
from auto_benchmark_airflow.dag_factories.experiment_sweep import NORMAL, POOLS
from auto_benchmark_airflow.dag_factories.projects import Project

NAME = "benchmark_sweep"
LIMIT = timedelta(days=7)


def build(project: Project, doc: str) -> DAG:
    """The DAG of one project."""
    params = {
        "spec": Param("sweep.yaml", type="string", description="Sweep spec, in the project's configuration folder."),
        "out": Param("", type="string", description="Folder below the project's sweeps; the spec's name when empty."),
    }
    with project_dag(project, NAME, doc, schedule=None, limit=LIMIT, params=params) as dag:
        step(
            project,
            f"{NAME}.run_in_project",
            task_id="run_sweep",
            arguments={"spec": "{{ params.spec }}", "out": "{{ params.out }}"},
            pool=POOLS[NORMAL],
            execution_timeout=LIMIT,
        )
    return dag
