"""What every DAG file promises, and the exact shape of each DAG."""

import ast
from pathlib import Path

import pytest
from tests.airflow_home import REPOSITORY
from tests.golden import assert_golden

pytestmark = pytest.mark.airflow
DAG_IDS = {
    "benchmark_construction",
    "benchmark_sweep",
    "experiment_sweep",
    "experiment_sweep_urgent",
    "lab_run",
    "leaderboard_scrape",
    "production_defense",
    "report_digest",
    "research_ingest",
}
FILES = sorted((REPOSITORY / "dags").glob("*.py"))
GOLDEN = Path(__file__).parent / "golden"


def graph(dag) -> str:
    """One line per task: what it follows, and what is not a default of it."""
    from airflow.sdk import TriggerRule

    lines = []
    for task in sorted(dag.tasks, key=lambda task: task.task_id):
        kind = "mapped " if task.is_mapped else ""
        rule = TriggerRule(task.trigger_rule).value
        notes = [rule] if rule != "all_success" else []
        notes += [task.pool] if task.pool != "default_pool" else []
        after = ", ".join(sorted(task.upstream_task_ids)) or "-"
        lines.append(f"{kind}{task.task_id} <- {after}" + (f"  [{'; '.join(notes)}]" if notes else ""))
    return "\n".join(lines) + "\n"


def test_the_dag_ids_are_exactly_those(dag_bag):
    assert dag_bag.import_errors == {}
    assert set(dag_bag.dags) == DAG_IDS
    assert {path.stem for path in FILES} == DAG_IDS


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_dag_file_is_thin_and_explains_itself(file, dag_bag):
    text = file.read_text()
    assert len(text.splitlines()) <= 120
    doc = ast.get_docstring(ast.parse(text), clean=False)
    assert "### Triage" in doc
    assert dag_bag.dags[file.stem].doc_md == doc


@pytest.mark.parametrize("dag_id", sorted(DAG_IDS))
def test_a_dag_is_bounded_owned_and_has_no_past(dag_id, dag_bag):
    dag = dag_bag.dags[dag_id]
    assert {"auto-benchmark", "project:default"} <= set(dag.tags)
    assert not dag.catchup
    assert dag.max_active_runs == 1
    assert dag.dagrun_timeout is not None
    for task in dag.tasks:
        assert task.owner == "auto-benchmark"
        assert task.retries >= 1
        assert task.execution_timeout is not None or task.task_id == "board_shows_score"


@pytest.mark.parametrize("dag_id", sorted(DAG_IDS))
def test_the_graph_is_the_golden_one(dag_id, dag_bag):
    assert_golden(graph(dag_bag.dags[dag_id]), GOLDEN / f"{dag_id}.txt")


def test_normal_and_urgent_trials_never_share_slots(dag_bag):
    pools = {
        name: {t.pool for t in dag_bag.dags[name].tasks} for name in ("experiment_sweep", "experiment_sweep_urgent")
    }
    assert pools["experiment_sweep"] == {"default_pool", "trial_slots"}
    assert pools["experiment_sweep_urgent"] == {"default_pool", "trial_slots_urgent"}
    for name in pools:
        for task in dag_bag.dags[name].tasks:
            runs_trials = task.task_id.rpartition(".")[2].startswith(("trial", "run_trial", "propose"))
            is_theirs = runs_trials and task.task_id != "search.propose_hypotheses"
            assert (task.pool != "default_pool") == is_theirs, task.task_id


def test_two_tasks_stand_before_an_urgent_training_process(dag_bag):
    dag = dag_bag.dags["experiment_sweep_urgent"]
    assert dag.get_task("run_trial").upstream_task_ids == {"claim_and_plan"}
    assert dag.get_task("claim_and_plan").upstream_task_ids == set()
    assert [task.task_id for task in dag.roots] == ["claim_and_plan"]


def test_urgent_work_goes_first(dag_bag):
    normal, urgent = (
        dag_bag.dags[name].get_task("claim") for name in ("experiment_sweep", "experiment_sweep_urgent")
    )
    assert str(urgent.weight_rule) and urgent.priority_weight > normal.priority_weight
