"""Sweeps through a real Airflow, in containers, while tasks, containers and the engine are killed at random moments."""

import contextlib
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest
from sqlalchemy import text
from tests.toy_project import ToyFiles

from auto_benchmark.db.engine import engine
from auto_benchmark.runners.container import TRIAL_LABEL
from auto_benchmark.stack.launcher import Launcher
from auto_benchmark.stack.services import Service

pytestmark = [pytest.mark.docker, pytest.mark.chaos, pytest.mark.timeout(1500)]
SWEEPS = int(os.environ.get("CHAOS_SWEEPS", "6"))
KILLS, MOST_OF_A_KIND = 3, 2
"""In one sweep. A container that is killed three times ends its trial as ``killed``, and rightly so."""
DAG = "chaos_sweep"
GOOD, CRASHES, LIES, MUTE = 4.0, -9.0, -8.0, -7.0
TRIALS = [(1, GOOD), (2, GOOD), (3, CRASHES), (4, LIES), (5, MUTE)]
ENDS = {
    GOOD: ("done", None),
    CRASHES: ("failed", "crash"),
    LIES: ("failed", "bad_output"),
    MUTE: ("failed", "no_result"),
}
SLOWLY = """
import time
for step in range(12):
    print("AB_PROGRESS " + json.dumps({"step": step, "metrics": {"loss": 1 / (step + 1)}}), flush=True)
    time.sleep(0.5)
if params["offset"] == -9: raise SystemExit(3)
if params["offset"] == -8: (out / "predictions.jsonl").write_text('{"id": "nobody asked", "answer": 1}')
if params["offset"] == -7: (out / "predictions.jsonl").unlink()
"""


@pytest.fixture(scope="module")
def stack(docker_client, contract_image):
    """The whole stack on the toy project, with trials in containers."""
    home = Path(tempfile.mkdtemp(prefix="auto-benchmark-chaos-"))
    home.chmod(0o755)
    files = ToyFiles(home)
    files.declare(command=["python", "-c", files.train_also(SLOWLY)], image=contract_image)
    settings = files.settings(runner="docker")
    settings.home.mkdir(mode=0o755)
    launcher = Launcher(settings, print, more_dags=Path(__file__).parent / "chaos_dags")
    launcher.up(unpause=False)
    try:
        yield launcher
    finally:
        launcher.down()
        shutil.rmtree(home, ignore_errors=True)


def kill_task(launcher, rng):
    scheduler = launcher.processes.running(Service.SCHEDULER)
    tasks = [p for w in scheduler.children() for p in w.children() if p.status() != psutil.STATUS_ZOMBIE]
    if not tasks:
        return False
    with contextlib.suppress(psutil.NoSuchProcess):
        rng.choice(tasks).kill()
    return True


def kill_container(client, rng):
    running = client.containers.list(filters={"label": TRIAL_LABEL}, ignore_removed=True)
    if not running:
        return False
    with contextlib.suppress(Exception):
        rng.choice(running).kill()
    return True


def kill_engine(own, rng):
    if own is None:
        return False
    own.kill()
    time.sleep(rng.uniform(0, 2))
    own.start()
    return True


def finished(api, run_id):
    return api.run(DAG, run_id)["state"] in {"success", "failed"}


def test_sweeps_through_airflow_survive(stack, docker_client, docker_engine):
    rng = random.Random(20261128)
    killed = Counter()
    with stack.airflow() as api:
        api.unpause(DAG)
        for number in range(SWEEPS):
            purpose = f"chaos-{number}"
            conf = {"purpose": purpose, "trials": [[number * 100 + seed, offset] for seed, offset in TRIALS]}
            run_id = api.trigger(DAG, conf)
            began, kills = time.monotonic(), Counter()
            while not finished(api, run_id):
                assert time.monotonic() - began < 300, (number, killed, api.task_instances(DAG, run_id))
                time.sleep(rng.uniform(0.5, 4))
                if kills.total() == KILLS:
                    continue
                victim = rng.choices(("task", "container", "engine"), weights=(4, 4, 1))[0]
                if kills[victim] == MOST_OF_A_KIND:
                    continue
                if victim == "task":
                    done = kill_task(stack, rng)
                elif victim == "container":
                    done = kill_container(docker_client, rng)
                else:
                    done = kill_engine(docker_engine, rng)
                kills[victim] += done
                killed[victim] += done
            print(f"sweep {number}: {time.monotonic() - began:.0f} s, killed so far {dict(killed)}")
            states = Counter((t["task_id"], t["state"]) for t in api.task_instances(DAG, run_id))
            assert api.run(DAG, run_id)["state"] == "success", states
            assert_each_trial_ended_once(stack, purpose)
            assert docker_client.containers.list(all=True, filters={"label": TRIAL_LABEL}) == []
    assert sum(killed.values()) >= 2 * SWEEPS and killed["task"] and killed["container"], killed
    assert_mlflow_agrees(stack)


def assert_each_trial_ended_once(launcher, purpose):
    bind = engine(launcher.environment()["AUTO_BENCHMARK_DB_URL"])
    with bind.connect() as connection:
        connection.execute(text("SET search_path TO auto_benchmark"))
        rows = connection.execute(
            text(
                "SELECT (params->>'offset')::float, state, failure_class, t.id, "
                "(SELECT count(*) FROM metric_values m WHERE m.trial_id = t.id AND m.name = 'accuracy') "
                "FROM trials t WHERE purpose = :p"
            ),
            {"p": purpose},
        ).all()
        counted = connection.scalar(
            text("SELECT coalesce(sum(queries), 0) FROM split_queries WHERE purpose = :p"), {"p": purpose}
        )
    bind.dispose()
    assert sorted(row[0] for row in rows) == sorted(offset for _, offset in TRIALS)
    for offset, state, failure, trial, scores in rows:
        assert (state, failure) == ENDS[offset], (offset, state, failure, trial)
        assert scores == (state == "done")
    assert counted == sum(offset == GOOD for _, offset in TRIALS), "a trial was completed twice"


def assert_mlflow_agrees(launcher):
    """One closed run for each trial, with the trial's own end, and nothing left to tell."""
    from mlflow.tracking import MlflowClient

    environment = launcher.environment()
    client = MlflowClient(tracking_uri=environment["AUTO_BENCHMARK_MLFLOW_URL"])
    experiment = client.get_experiment_by_name("auto-benchmark/default")
    runs = client.search_runs([experiment.experiment_id], max_results=1000)
    assert {r.info.status for r in runs} <= {"FINISHED", "FAILED"}
    children = [r for r in runs if r.data.tags["auto_benchmark.trial"] != "parent"]
    names = Counter(r.data.tags["auto_benchmark.trial"] for r in children)
    assert len(names) == len(children) == SWEEPS * len(TRIALS), names
    failures = Counter(r.data.tags.get("failure") for r in children)
    assert failures == Counter(ENDS[offset][1] for _ in range(SWEEPS) for _, offset in TRIALS)
    good = [r for r in children if r.info.status == "FINISHED"]
    for run in good:
        history = client.get_metric_history(run.info.run_id, "curve/loss")
        assert Counter(m.step for m in history) == Counter(range(12))
    assert list((launcher.layout.home / "default/tracking").iterdir()) == []
