"""Two projects side by side in one real Airflow: every DAG runs, each project alone sees what is its own."""

import os
import shutil
import tempfile
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.airflow_home import REPOSITORY
from tests.e2e.statsd_listener import StatsdListener
from tests.toy_project import ToyFiles, add_project
from tests.waiting import eventually

from auto_benchmark.db.engine import engine
from auto_benchmark.stack.launcher import Launcher

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]
PASSED = "system,accuracy\nLeader,0.90\nRival,0.70\nOurs,0.61\nLast,0.50\n"
SWEEP = """
name: toys
solution: toy
datasets: [{name: toy, version: "1", split: gate}]
metrics: {primary: accuracy, higher_is_better: true}
configurations: [{name: as it is, params: {}}]
baseline: as it is
seeds: [1, 2]
"""
STATSD = {
    "AIRFLOW__METRICS__STATSD_ON": "True",
    "AIRFLOW__METRICS__STATSD_HOST": "127.0.0.1",
    "AIRFLOW__METRICS__STATSD_PREFIX": "airflow",
}


class Stack:
    """A running stack whose default project and second project are copies of the toy project."""

    def __init__(self, files: ToyFiles, launcher: Launcher, listener: StatsdListener) -> None:
        self.files, self.launcher, self.listener = files, launcher, listener
        self.api = launcher.airflow()
        self.bind = engine(launcher.environment()["AUTO_BENCHMARK_DB_URL"])

    def board(self, project: str) -> Path:
        return self.files.config / ("projects/second" if project == "second" else "") / "board.csv"

    def rows(self, query: str, **values):
        with self.bind.connect() as connection:
            connection.execute(text("set search_path to auto_benchmark"))
            return connection.execute(text(query), values).all()

    def follow(self, dag_id: str, run_id: str, limit: float = 240) -> dict[str, set[str]]:
        """Wait until the run has succeeded; task_id -> states of its instances."""
        deadline = time.monotonic() + limit
        while (state := self.api.run(dag_id, run_id)["state"]) not in {"success", "failed"}:
            assert time.monotonic() < deadline, (dag_id, self.states(dag_id, run_id))
            time.sleep(0.5)
        states = self.states(dag_id, run_id)
        assert state == "success", (dag_id, states)
        return states

    def states(self, dag_id: str, run_id: str) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for task in self.api.task_instances(dag_id, run_id):
            found.setdefault(task["task_id"], set()).add(str(task["state"]))
        return found

    def in_state(self, dag_id: str, task_id: str, state: str) -> str | None:
        """The run whose task is in this state; None where there is no such run."""
        runs = (run["dag_run_id"] for run in self.api.runs(dag_id))
        return next((run for run in runs if state in self.states(dag_id, run).get(task_id, ())), None)

    def run(self, dag_id: str, **conf) -> dict[str, set[str]]:
        self.api.unpause(dag_id)
        return self.follow(dag_id, self.api.trigger(dag_id, conf or None))

    def wait_for(self, found):
        return eventually(found, limit_s=240, every_s=0.25)


@pytest.fixture(scope="module")
def stack():
    root = Path(tempfile.mkdtemp(prefix="auto-benchmark-two-"))
    root.chmod(0o755)
    files = ToyFiles(root)
    (add_project(files.config, "second") / "sweep.yaml").write_text(SWEEP)
    listener = StatsdListener()
    threading.Thread(target=listener.listen, daemon=True).start()
    os.environ.update(STATSD, AIRFLOW__METRICS__STATSD_PORT=str(listener.port))
    launcher = Launcher(files.settings(), print, more_dags=REPOSITORY / "include" / "examples")
    try:
        launcher.up(unpause=False)
        yield Stack(files, launcher, listener)
    finally:
        launcher.down()
        listener.close()
        for name in [*STATSD, "AIRFLOW__METRICS__STATSD_PORT"]:
            os.environ.pop(name, None)
        shutil.rmtree(root, ignore_errors=True)


def test_both_projects_have_all_dags(stack):
    names = {path.stem for path in (REPOSITORY / "dags").glob("*.py")}
    assert stack.api.dags().keys() == names | {f"second__{name}" for name in names} | {"rank_drop_notice"}


def test_a_rank_drop_of_one_project_is_answered_there_and_only_there(stack):
    stack.run("leaderboard_scrape")
    stack.run("second__leaderboard_scrape")
    for dag_id in ("experiment_sweep_urgent", "second__experiment_sweep_urgent", "rank_drop_notice"):
        stack.api.unpause(dag_id)
    stack.api.trigger("rank_drop_notice")
    # Shortly after midnight the schedule starts a run of its own, and the triggered one waits behind it.
    waiting = stack.wait_for(lambda: stack.in_state("rank_drop_notice", "wait_for_rank_drop", "deferred"))

    stack.board("second").write_text(PASSED)
    stack.run("second__leaderboard_scrape")
    run = stack.wait_for(lambda: stack.api.runs("second__experiment_sweep_urgent"))[0]
    tasks = stack.follow("second__experiment_sweep_urgent", run["dag_run_id"])
    assert tasks["run_trial"] == {"success"}
    assert {row.project for row in stack.rows("select project from trials")} == {"second"}
    assert stack.api.runs("experiment_sweep_urgent") == []
    assert stack.states("rank_drop_notice", waiting)["wait_for_rank_drop"] == {"deferred"}

    stack.board("default").write_text(PASSED)
    stack.run("leaderboard_scrape")
    assert stack.follow("rank_drop_notice", waiting)["tell"] == {"success"}
    run = stack.wait_for(lambda: stack.api.runs("experiment_sweep_urgent"))[0]
    assert stack.follow("experiment_sweep_urgent", run["dag_run_id"])["run_trial"] == {"success"}
    claimed = stack.rows("select project, count(distinct claimed_by), count(*) from competitive_deltas"
                         " where event_key is not null group by 1 order by 1")  # fmt: skip
    assert [tuple(row) for row in claimed] == [("default", 1, 1), ("second", 1, 1)]


@pytest.mark.parametrize("name", ["research_ingest", "experiment_sweep", "production_defense", "report_digest"])
def test_the_second_project_runs_the_others(stack, name):
    tasks = stack.run(f"second__{name}")
    assert {"success"} <= {state for states in tasks.values() for state in states}
    assert "failed" not in {state for states in tasks.values() for state in states}


def test_a_benchmark_sweep_of_the_second_project(stack):
    dag_id = "second__benchmark_sweep"
    stack.api.unpause(dag_id)
    assert stack.run(dag_id)["run_sweep"] == {"success"}
    reports = list(stack.files.home.rglob("BENCHMARK_REPORT.md"))
    assert [report.relative_to(stack.files.home).parts[0] for report in reports] == ["second"]


def test_files_and_metrics_carry_their_project(stack):
    home = stack.files.home
    for project in ("default", "second"):
        assert (home / project / "competitive_registry.yaml").is_file()
    assert list((home / "second" / "reports").glob("digest-*.md"))
    assert not list((home / "default").rglob("digest-*.md"))
    wanted = {f"airflow.auto_benchmark.{project}.trials.done" for project in ("default", "second")}
    stack.wait_for(lambda: wanted <= stack.listener.gauges().keys())
    gauges = stack.listener.gauges()
    for project in ("default", "second"):
        prefix = f"airflow.auto_benchmark.{project}"
        assert gauges[f"{prefix}.ToyBoard.rank"] == 3
        assert gauges[f"{prefix}.ToyBoard.board_age_s"] < 600
        assert gauges[f"{prefix}.trials.done"] > 0
        assert gauges[f"{prefix}.rank_drops_unclaimed"] == 0
        assert {f"{prefix}.queue_depth", f"{prefix}.spend_day", f"{prefix}.alpha_wealth"} <= gauges.keys()
