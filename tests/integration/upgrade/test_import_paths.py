"""Names that Airflow or an operator's own files hold, from versions before this one."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

import pytest
from tests.airflow_home import HOME, REPOSITORY
from tests.plugins.test_rank_drop_trigger import START, overtake
from tests.toy_project import ToyFiles, enter_through_airflow

pytestmark = pytest.mark.airflow
assert HOME
DAG_IDS = {
    *("benchmark_sweep", "experiment_sweep", "experiment_sweep_urgent", "leaderboard_scrape", "production_defense"),
    *("report_digest", "research_ingest", "lab_run", "benchmark_construction"),
}
BOARD = {"name": "MemoryBench", "scrape_method": "manual", "primary_metric": "accuracy", "higher_is_better": True}
STORED_TRIGGERS = {
    "auto_benchmark_airflow.triggers.rank_drop.RankDropTrigger": {
        "project": "default", "conn_id": "auto_benchmark_db", "since": None, "poll_interval": 15.0, "wake_again": 300.0,
    },
    "auto_benchmark_airflow.triggers.board_score.BoardScoreTrigger": {
        "expected": [{"spec": BOARD, "score": 0.8229}], "names": ["OurSystem"], "poll_interval": 30.0,
    },
}  # fmt: skip
"""Class path -> arguments, as commit d39e5e8 put them into Airflow's table ``trigger``."""


def imported(path: str):
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


@pytest.fixture
def _declared(declared, monkeypatch):
    """The bundled project; ``all_dags`` reads it from the environment."""
    for name in ("CONFIG", "BENCHMARKS", "SOLUTIONS"):
        monkeypatch.setenv(f"AUTO_BENCHMARK_{name}", str(declared / name.lower()))


@pytest.mark.usefixtures("_declared")
def test_the_operators_dag_file_finds_every_dag():
    from airflow.sdk import DAG

    from auto_benchmark_airflow.dag_factories.all import all_dags

    found = all_dags()
    assert set(found) == DAG_IDS
    assert all(isinstance(dag, DAG) and dag.dag_id == dag_id for dag_id, dag in found.items())
    # Other DAGs may wait for this asset, and Airflow knows it by its name.
    assert [asset.name for asset in found["experiment_sweep_urgent"].schedule] == ["auto_benchmark_rank_drop_default"]


def test_the_sensor_waits_as_before_and_goes_on_after_an_upgrade(database_url, sessions, project, monkeypatch):
    from airflow.sdk.exceptions import TaskDeferred

    from auto_benchmark_airflow.sensors.rank_drop import RankDropSensor

    monkeypatch.setenv("AIRFLOW_CONN_DB", database_url.replace("postgresql+psycopg", "postgresql"))
    since = START.isoformat()
    sensor = RankDropSensor(
        task_id="wait", project=project, conn_id="db", since=since, poll_interval=2.0, timeout=60.0, soft_fail=True
    )
    with pytest.raises(TaskDeferred) as deferred:
        sensor.execute({"dag_run": SimpleNamespace(run_after=None)})
    trigger = deferred.value.trigger
    assert (trigger.project, trigger.conn_id, trigger.since, trigger.poll_interval) == (project, "db", since, 2.0)
    # What Airflow calls when a trigger that an earlier version deferred to has fired.
    overtake(sessions, project, 0)
    found = sensor.resume_execution("execute_complete", {"event": {"project": project, "events": [1, 6]}}, {})
    assert found["project"] == project
    assert len(found["events"]) == 1


def test_boards_that_an_earlier_version_waits_for_are_waited_for_still(tmp_path, database_url, monkeypatch):
    from auto_benchmark.flows.experiment_sweep import FLOW
    from auto_benchmark_airflow.sensors.board_score import BoardScoreSensor

    enter_through_airflow(monkeypatch, ToyFiles(tmp_path).settings(), database_url)
    sensor = BoardScoreSensor(
        task_id="wait", project="default", step=FLOW.step("board_shows_score"), arguments={"submitted": []}
    )
    event = {"shown": {"MemoryBench": 0.8229}}
    # It looks for itself, and what was handed in is no longer known: nothing is left to wait for.
    assert sensor.resume_execution("execute_complete", {"event": event}, {}) == {}


@pytest.mark.parametrize("path", STORED_TRIGGERS)
def test_a_stored_trigger_is_made_again(path):
    from airflow.triggers.base import BaseTrigger

    trigger = imported(path)(**STORED_TRIGGERS[path])
    assert isinstance(trigger, BaseTrigger)
    stored_now, arguments = trigger.serialize()
    assert type(trigger) is imported(stored_now)
    assert arguments.items() >= STORED_TRIGGERS[path].items()


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("auto_benchmark_airflow.operators.trial_docker.TrialDockerOperator", {"docker_conn_id": "engine"}),
        ("auto_benchmark_airflow.operators.trial_pod.TrialPodOperator", {"node_selector": {"gpu": "yes"}}),
    ],
)
def test_operators_that_the_guides_offer_take_what_they_took(path, own):
    task = imported(path)(task_id="trial", project="default", arguments={"trial_id": 7}, **own)
    assert task.arguments == {"trial_id": 7}
    assert {name: getattr(task, name) for name in own} == own


def test_an_operators_own_dockerfile_finds_the_entrypoint():
    """Solutions copy the bundled Dockerfile, whose build context is ``include``."""
    assert (REPOSITORY / "include" / "auto_benchmark" / "runners" / "entrypoint.py").is_file()


def test_the_names_in_the_packages_metadata_are_there():
    from airflow.plugins_manager import AirflowPlugin

    assert issubclass(imported("auto_benchmark_airflow.plugin.AutoBenchmarkPlugin"), AirflowPlugin)
    assert callable(imported("auto_benchmark.cli.main"))


def test_a_scorer_of_an_earlier_version_is_loaded(tmp_path):
    from auto_benchmark.artifacts.benchmark_module import scorer_of
    from auto_benchmark.contract.scoring import Scores

    (tmp_path / "scorer.py").write_text(
        "from auto_benchmark.experiments.scoring import Scores\n"
        "def score(predictions, answers):\n"
        "    return Scores(metrics={'accuracy': 0.5})\n"
    )
    assert scorer_of(tmp_path, "scorer.py").score({}, {}) == Scores(metrics={"accuracy": 0.5})
