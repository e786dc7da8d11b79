"""Every DAG of every project, for an Airflow that has the wheel installed instead of this repository's ``dags``."""

from __future__ import annotations

from airflow.sdk import DAG

from auto_benchmark.flows.all import FLOWS
from auto_benchmark_airflow.dag_factories.compiler import compiled
from auto_benchmark_airflow.dag_factories.projects import projects


def all_dags() -> dict[str, DAG]:
    """dag_id -> DAG."""
    built = [compiled(flow, project) for project in projects() for flow in FLOWS]
    return {dag.dag_id: dag for dag in built}
