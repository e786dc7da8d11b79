"""Runs that grow while their trials train: many writers, killed workers, a server that goes away and comes back."""

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.integration.tracking.conftest import POINTS
from tests.toy_project import environment
from tests.waiting import eventually

from auto_benchmark.contract.record import TrialPlan
from auto_benchmark.contract.trial import Stage
from auto_benchmark.db.repositories import production, trials
from auto_benchmark.experiments.trials import live_tracking
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.project import tracking
from auto_benchmark.project.configuration import environment_notes
from auto_benchmark.project.configuration_check import check
from auto_benchmark.project.reconcile import reconcile

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(280)]
WRITERS = 8
WORKER = """
import sys
from auto_benchmark.experiments.trials import live_tracking
from auto_benchmark.project.context import make_context
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import NamedConnections
from auto_benchmark.db.engine import engine, session_factory
live_tracking.LIVE_EVERY_S = float(sys.argv[1])
settings = Settings()
ctx = make_context(settings, session_factory(engine(settings.db_url.get_secret_value())), NamedConnections({}))
run_trials(ctx, [int(word) for word in sys.argv[2:]])
"""


def planned(ctx, number):
    reconcile(ctx)
    with ctx.sessions() as session:
        tree = production.current(session=session, project=ctx.project).candidate.tree
    plans = [
        TrialPlan(
            solution="toy", params=ctx.bench.solution.solution.defaults, benchmark=ctx.bench.ref, stage=Stage.FAST,
            seed=seed, purpose="search", budget_s=300, tree=tree,
        )
        for seed in range(number)
    ]  # fmt: skip
    with ctx.sessions.begin() as session:
        return [t.id for t in trials.plan(session=session, project=ctx.project, plans=plans)]


def worker(ctx, every_s, *ids):
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment(ctx.settings)}
    return subprocess.Popen([sys.executable, "-c", WORKER, str(every_s), *map(str, ids)], env=variables)


def runs_of(ctx):
    """Name -> run of the last attempt, and the client; those of workers that died stay beside it, marked."""
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=ctx.settings.mlflow_url)
    experiment = client.get_experiment_by_name(f"auto-benchmark/{ctx.project}")
    found = client.search_runs([experiment.experiment_id]) if experiment else []
    mine = [r for r in found if r.data.tags["auto_benchmark.trial"].startswith(ctx.trial_name_prefix)]
    ours = {r.data.tags["auto_benchmark.experiment"] for r in mine}  # a server keeps the parents of other code too
    parents = [r for r in found if r.data.tags["auto_benchmark.trial"] == "parent"]
    mine += [r for r in parents if r.data.tags["auto_benchmark.experiment"] in ours]
    attempts = Counter(r.data.tags["auto_benchmark.trial"] for r in mine)
    assert all((r.data.tags.get("reaped") == "true") == (r.info.status == "KILLED") for r in mine)
    mine = [r for r in mine if r.info.status != "KILLED" or attempts[r.data.tags["auto_benchmark.trial"]] == 1]
    assert len({r.data.tags["auto_benchmark.trial"] for r in mine}) == len(mine), "a trial has two runs"
    return {r.data.tags["auto_benchmark.trial"]: r for r in mine}, client


@pytest.mark.parametrize("store", ["sqlite file", "server"])
def test_eight_writers_at_once_lose_nothing_and_double_nothing(talkative, tmp_path, store, request, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MLflow keeps artifacts of a local store below the working directory
    url = f"sqlite:///{tmp_path}/mlflow.db" if store != "server" else request.getfixturevalue("mlflow_server").url
    ctx = talkative(url)
    ids = planned(ctx, WRITERS)
    workers = [worker(ctx, 0.05, trial) for trial in ids]
    assert [w.wait(200) for w in workers] == [0] * WRITERS, "a trial died of its logging"
    with ctx.sessions() as session:
        assert {trials.get(session=session, project="default", trial_id=t).state for t in ids} == {"done"}
    while (told := tracking.flush(ctx))["waiting"]:
        assert "locked" in told["reason"], told
    runs, client = runs_of(ctx)
    assert {r.info.status for r in runs.values()} == {"FINISHED"} and len(runs) == WRITERS + 1
    for trial in ids:
        history = client.get_metric_history(runs[ctx.trial_name(trial)].info.run_id, "curve/loss")
        assert Counter(m.step for m in history) == Counter(range(POINTS))
    assert list(tracking.journal(ctx).iterdir()) == []


def test_a_curve_arrives_while_its_trial_trains(talkative, halfway, mlflow_server, monkeypatch):
    monkeypatch.setattr(live_tracking, "LIVE_EVERY_S", 0.3)
    ctx = talkative(mlflow_server.url, holds=True)
    (trial,) = planned(ctx, 1)
    thread = threading.Thread(target=run_trials, args=(ctx, [trial]))
    thread.start()
    name = ctx.trial_name(trial)
    run = eventually(lambda: runs_of(ctx)[0].get(name))
    client = runs_of(ctx)[1]
    part = eventually(lambda: client.get_metric_history(run.info.run_id, "curve/loss"))
    with ctx.sessions() as session:
        assert trials.get(session=session, project="default", trial_id=trial).state == "running"
    assert run.info.status == "RUNNING"
    assert 0 < len(part) < POINTS
    halfway.go_on()
    thread.join()
    assert tracking.flush(ctx) == {"written": 1, "waiting": 0, "reason": ""}
    ended = runs_of(ctx)[0][name]
    assert (ended.info.run_id, ended.info.status) == (run.info.run_id, "FINISHED")
    assert len(client.get_metric_history(run.info.run_id, "curve/loss")) == POINTS
    assert {"code", "lock", "data", "git", "cpu", "python", "runner"} <= {
        tag.removeprefix("fingerprint.") for tag in ended.data.tags if tag.startswith("fingerprint.")
    }
    assert {a.path for a in client.list_artifacts(run.info.run_id)} >= {"config.yaml", "metrics.json", "train.log"}
    assert client.get_model_version_by_alias("default-toy", "champion").run_id == run.info.run_id


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_killed_worker_leaves_no_run_open(talkative, halfway, mlflow_server, goes_on):
    ctx = talkative(mlflow_server.url, holds=True)
    (trial,) = planned(ctx, 1)
    first = worker(ctx, 0.2, trial)
    name = ctx.trial_name(trial)
    run = eventually(lambda: runs_of(ctx)[0].get(name))
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    killed_at = ctx.now()
    at_once = replace(ctx, now=lambda: killed_at)
    assert runs_of(ctx)[0][name].info.status == "RUNNING"
    assert tracking.flush(at_once)["reason"] == "" and runs_of(ctx)[0][name].info.status == "RUNNING", (
        "its lease holds"
    )
    later = replace(ctx, now=lambda: ctx.now() + timedelta(minutes=1))
    if not goes_on:
        reconcile(later)
        assert runs_of(ctx)[0][name].info.status == "KILLED"
        return
    halfway.go_on()
    run_trials(ctx, [trial])
    assert tracking.flush(ctx)["written"] == 1
    runs, client = runs_of(ctx)
    assert runs[name].info.status == "FINISHED" and runs[name].info.run_id != run.info.run_id
    left = client.get_run(run.info.run_id)
    assert (left.info.status, left.info.lifecycle_stage, left.data.tags["reaped"]) == ("KILLED", "active", "true")
    assert len(client.get_metric_history(runs[name].info.run_id, "curve/loss")) == POINTS
    assert {r.info.status for r in runs.values()} == {"FINISHED"}


def test_a_server_that_dies_and_comes_back_gets_everything_once(talkative, halfway, tmp_path, monkeypatch):
    from tests.integration.tracking.mlflow_server import MlflowServer

    monkeypatch.setattr(live_tracking, "LIVE_EVERY_S", 0.2)
    (tmp_path / "server").mkdir()
    server = MlflowServer(tmp_path / "server").start()
    try:
        ctx = talkative(server.url, holds=True)
        ids = planned(ctx, 2)
        thread = threading.Thread(target=run_trials, args=(ctx, ids))
        thread.start()
        eventually(lambda: len(runs_of(ctx)[0]) == 3)
        server.kill()
        halfway.go_on()
        thread.join()
        told = tracking.flush(ctx)
        assert (told["written"], told["waiting"]) == (0, 2) and "does not answer" in told["reason"]
        server.start()
        reconcile(ctx)
        assert len(list(tracking.journal(ctx).glob("*.json"))) == 2, "a sweep that still runs tells its own trials"
        reconcile(replace(ctx, now=lambda: ctx.now() + timedelta(hours=1)))
        assert list(tracking.journal(ctx).iterdir()) == [] and tracking.flush(ctx)["written"] == 0
        runs, client = runs_of(ctx)
        assert len(runs) == 3 and {r.info.status for r in runs.values()} == {"FINISHED"}
        for trial in ids:
            run = runs[ctx.trial_name(trial)]
            history = client.get_metric_history(run.info.run_id, "curve/loss")
            assert Counter(m.step for m in history) == Counter(range(POINTS))
            assert 0.5 < run.data.metrics["accuracy"] < 1
    finally:
        server.kill()


def test_a_sqlite_file_for_parallel_trials_is_warned_of(talkative):
    ctx = talkative(None)
    assert environment_notes(ctx.settings) == []
    many = ctx.settings.model_copy(update={"mlflow_url": "sqlite:///mlflow.db", "parallel_trials": 8})
    assert any("AUTO_BENCHMARK_MLFLOW_URL" in str(note) for note in check(many)[1])
    assert environment_notes(many.model_copy(update={"parallel_trials": 1})) == []
