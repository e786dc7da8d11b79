"""``kill -9`` of Airflow's parts, Postgres and tasks at random moments: the loop still completes, nothing twice."""

import os
import random
import shutil
import tempfile
import time
from pathlib import Path

import httpx
import psutil
import pytest
from sqlalchemy import text
from tests.e2e.loop_invariants import violations

from auto_benchmark.db.engine import engine
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.settings import Settings
from auto_benchmark.stack.launcher import Launcher
from auto_benchmark.stack.services import Service

KILLS = int(os.environ.get("AUTO_BENCHMARK_TEST_KILLS", "20"))
VICTIMS = ("scheduler", "triggerer", "api-server", "dag-processor", "postmaster", "task")
DAGS = ("leaderboard_scrape", "experiment_sweep", "experiment_sweep_urgent")
pytestmark = [pytest.mark.chaos, pytest.mark.timeout(3600)]


@pytest.fixture
def launcher():
    home = Path(tempfile.mkdtemp(prefix="auto-benchmark-chaos-"))
    home.chmod(0o755)
    made = Launcher(Settings(home=home), print)
    made.up()
    yield made
    made.down()
    shutil.rmtree(home, ignore_errors=True)


def kill(launcher: Launcher, victim: str) -> str | None:
    """Kill one process without warning; what it was, or None when there is no such process now."""
    if victim == "postmaster":
        process = psutil.Process(int((launcher.layout.home / "postgres/data/postmaster.pid").read_text().split()[0]))
    elif victim == "task":
        scheduler = launcher.processes.running(Service.SCHEDULER)
        tasks = [p for w in scheduler.children() for p in w.children()] if scheduler else []
        if not tasks:
            return None
        process = random.choice(tasks)
    else:
        process = launcher.processes.running(victim)
    if process is None:
        return None
    line = f"{victim} {process.pid}"
    process.kill()
    return line


def patiently(launcher: Launcher, call):
    """The result of ``call(api)``, starting what is down until it answers."""
    deadline = time.monotonic() + 300
    while True:
        try:
            with launcher.airflow() as api:
                return call(api)
        except (AutoBenchmarkError, httpx.HTTPError, psutil.Error):
            if time.monotonic() > deadline:
                raise
            launcher.up()


def unfinished(api) -> list[str]:
    return [r["dag_run_id"] for dag in DAGS for r in api.runs(dag) if r["state"] not in {"success", "failed"}]


def wait_for_quiet(launcher: Launcher, limit: float = 900) -> None:
    deadline = time.monotonic() + limit
    while patiently(launcher, unfinished):
        assert time.monotonic() < deadline
        time.sleep(2)


def test_a_killed_stack_completes_the_loop(launcher):
    random.seed(20261128)
    bind = engine(launcher.environment()["AUTO_BENCHMARK_DB_URL"])
    patiently(launcher, lambda api: api.trigger("leaderboard_scrape"))
    wait_for_quiet(launcher)
    victims = list((VICTIMS * KILLS)[:KILLS])
    random.shuffle(victims)  # each as often as the others, in an order of chance
    killed: list[str] = []
    while victims:
        if not patiently(launcher, unfinished):
            patiently(launcher, lambda api: api.trigger("experiment_sweep"))
        time.sleep(random.uniform(2, 20))
        if line := kill(launcher, victims[-1]):
            victims.pop()
            killed.append(line)
            print(f"kill {len(killed)}: {line}", flush=True)
            time.sleep(random.uniform(0, 3))
            launcher.up()
    wait_for_quiet(launcher)
    patiently(launcher, lambda api: api.trigger("leaderboard_scrape"))  # the boards have seen what was submitted
    wait_for_quiet(launcher)
    states = patiently(launcher, lambda api: {r["dag_run_id"]: r["state"] for dag in DAGS for r in api.runs(dag)})
    assert set(states.values()) == {"success"}, (killed, states)
    with bind.connect() as connection:
        twice = connection.execute(
            text(
                "SELECT inputs->>'decision_id', count(*) FROM auto_benchmark.decision_log "
                "WHERE kind = 'promotion' GROUP BY 1 HAVING count(*) > 1"
            )
        ).all()
        lost = connection.scalar(
            text("SELECT count(*) FROM auto_benchmark.trials WHERE state IN ('planned', 'running')")
        )
    bind.dispose()
    assert twice == []
    assert lost == 0, killed
    launcher.down()
    assert violations(launcher.layout.home) == []
