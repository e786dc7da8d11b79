"""Every DAG of every project, for an Airflow that has the wheel installed instead of this repository's ``dags``."""

from __future__ import annotations

from airflow.sdk import DAG

from auto_benchmark_airflow.dag_factories import (
    benchmark_sweep,
    experiment_sweep,
    leaderboard_scrape,
    production_defense,
    report_digest,
    research_ingest,
)
from auto_benchmark_airflow.dag_factories.projects import projects

BUILDERS = (
    leaderboard_scrape.build,
    research_ingest.build,
    experiment_sweep.build,
    experiment_sweep.build_urgent,
    production_defense.build,
    report_digest.build,
    benchmark_sweep.build,
)


def all_dags() -> dict[str, DAG]:
    """dag_id -> DAG."""
    built = [build(project, build.__doc__ or "") for project in projects() for build in BUILDERS]
    return {dag.dag_id: dag for dag in built}
