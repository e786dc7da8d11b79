"""What a new landscape sets in motion moves something: each action starts a DAG."""

from __future__ import annotations

import json

import pytest
from tests.airflow_home import HOME

from auto_benchmark.registry.schedule import ScheduleFile

assert HOME
pytestmark = pytest.mark.airflow


@pytest.fixture(scope="module")
def started_by():
    """Action -> names of the DAGs that its asset starts."""
    from importlib import import_module

    from airflow.serialization.serialized_objects import DagSerialization

    from auto_benchmark_airflow.dag_factories.compiler import compiled
    from auto_benchmark_airflow.dag_factories.projects import ScheduledProject

    names = ("leaderboard_scrape", "research_ingest", "experiment_sweep", "production_defense", "report_digest")
    project = ScheduledProject("default", ScheduleFile())
    dags = {name: compiled(import_module(f"auto_benchmark.flows.{name}").FLOW, project) for name in names}
    schedules = {name: json.dumps(DagSerialization.to_dict(dag)["dag"]["timetable"]) for name, dag in dags.items()}
    announced = {
        action: asset
        for task in dags["leaderboard_scrape"].tasks
        for action, asset in getattr(task, "announces", {}).items()
    }
    return lambda action: [n for n, text in schedules.items() if action in announced and announced[action] in text]


def test_a_gap_that_widened_starts_the_research(started_by):
    assert started_by("research_ingest") == ["research_ingest"]


def test_a_lead_by_the_margin_starts_its_maintenance(started_by):
    assert started_by("maintenance_sweep") == ["production_defense"]


def test_an_entrant_close_to_us_starts_hypotheses(started_by):
    assert started_by("preemptive_hypotheses") == ["experiment_sweep"]
