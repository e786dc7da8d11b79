"""Where trials run decides which operator runs them, and nothing else of a DAG."""

import pytest
from tests.airflow_home import REPOSITORY

from auto_benchmark.registry.schedule import ScheduleFile

pytestmark = pytest.mark.airflow
OPERATORS = {"local": "PipelineOperator", "docker": "TrialDockerOperator", "kubernetes": "TrialPodOperator"}


def built(name):
    """The default project's DAG as its file builds it."""
    from auto_benchmark.flows.all import FLOWS
    from auto_benchmark_airflow.dag_factories.compiler import compiled
    from auto_benchmark_airflow.dag_factories.projects import ScheduledProject

    (flow,) = (flow for flow in FLOWS if flow.name == name)
    return compiled(flow, ScheduledProject("default", ScheduleFile()), "A test.\n")


@pytest.mark.parametrize("runner", OPERATORS)
@pytest.mark.parametrize("name", ["experiment_sweep", "experiment_sweep_urgent", "production_defense"])
def test_every_trial_is_a_task_of_the_places_own_operator(name, runner, monkeypatch):
    monkeypatch.setenv("AUTO_BENCHMARK_RUNNER", "local")
    usual = built(name)
    monkeypatch.setenv("AUTO_BENCHMARK_RUNNER", runner)
    dag = built(name)
    assert (REPOSITORY / "dags" / f"{name}.py").is_file()
    trials = {t.task_id: t for t in dag.tasks if t.is_mapped}
    assert trials and {t.operator_class.__name__ for t in trials.values()} == {OPERATORS[runner]}
    assert {t.task_type for t in dag.tasks if not t.is_mapped} == {
        t.task_type for t in usual.tasks if not t.is_mapped
    }
    for task in usual.tasks:
        same = dag.get_task(task.task_id)
        assert (same.pool, same.upstream_task_ids) == (task.pool, task.upstream_task_ids)
        assert same.execution_timeout == task.execution_timeout


@pytest.mark.parametrize("runner", OPERATORS)
def test_the_dag_travels_to_the_scheduler(runner, monkeypatch):
    from airflow.serialization.serialized_objects import DagSerialization

    monkeypatch.setenv("AUTO_BENCHMARK_RUNNER", runner)
    there = DagSerialization.from_dict(DagSerialization.to_dict(built("experiment_sweep")))
    trial = there.get_task("validation.trial")
    assert trial.is_mapped and trial.pool == "trial_slots" and trial.task_type == OPERATORS[runner]
