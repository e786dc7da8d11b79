"""Trials in a real MLflow store, a file and a real server: parents and children, curves, odd values, twice told."""

import json
import socket

import pytest
from pydantic import ValidationError

from auto_benchmark.runners.progress import parse_progress
from auto_benchmark.runners.runner import ProgressLine
from auto_benchmark.tracking.mlflow_errors import TrackerAwayError
from auto_benchmark.tracking.mlflow_runs import CHAMPION, MlflowRuns
from auto_benchmark.tracking.mlflow_values import shortened
from auto_benchmark.tracking.trial_run import Champion, Point, TrialRun


def a_trial(folder, **changes):
    facts = {
        "project": "p", "name": "ab-1", "experiment": "HYP-1", "state": "done",
        "params": {"top_k": 5, "long": "x" * 9000},
        "seed": 7, "stage": "full", "purpose": "candidate", "config_hash": "abc", "metrics": {"accuracy": 0.7},
        "curve": [Point(step=n, metrics={"loss": 1 / (n + 1)}) for n in range(2000)], "fingerprint": {"cpu": "x"},
        "started_ms": 1_700_000_000_000, "finished_ms": 1_700_000_009_000, "folder": str(folder),
    }  # fmt: skip
    return TrialRun.model_validate({**facts, **changes})


@pytest.fixture(scope="module", params=["file", "server"])
def store(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mlflow")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)  # MLflow keeps artifacts of a local store below the working directory
        from mlflow.tracking import MlflowClient

        url = f"sqlite:///{folder}/mlflow.db"
        if request.param == "server":
            url = request.getfixturevalue("mlflow_server").url
        yield url, MlflowClient(tracking_uri=url)


def test_a_trial_is_a_closed_child_of_its_experiment_and_telling_it_again_changes_nothing(store, tmp_path):
    url, client = store
    (tmp_path / "config.yaml").write_text("a: 1\n")
    (tmp_path / "train.log").symlink_to("/etc/passwd")
    trial = a_trial(tmp_path)
    first = MlflowRuns(url).write(trial)
    assert MlflowRuns(url).write(trial) == first
    experiment = client.get_experiment_by_name("auto-benchmark/p")
    runs = client.search_runs([experiment.experiment_id])
    assert len(runs) == 2 and {r.info.status for r in runs} == {"FINISHED"}
    run = client.get_run(first)
    assert client.get_run(run.data.tags["mlflow.parentRunId"]).data.tags["auto_benchmark.experiment"] == "HYP-1"
    assert run.data.metrics["accuracy"] == 0.7 and run.data.params["top_k"] == "5"
    assert len(run.data.params["long"]) <= 500 and "sha256:" in run.data.params["long"]
    history = client.get_metric_history(first, "curve/loss")
    assert len(history) == 2000 and history[-1].step == 1999
    assert [a.path for a in client.list_artifacts(first)] == ["config.yaml"]


def test_a_second_seed_joins_its_parent_and_a_failure_is_failed(store, tmp_path):
    url, client = store
    runs = MlflowRuns(url)
    runs.write(a_trial(tmp_path, name="ab-1", curve=[]))
    failed = runs.write(
        a_trial(tmp_path, name="ab-2", seed=8, state="failed", failure="oom_host", curve=[], metrics={})
    )
    run = client.get_run(failed)
    assert run.info.status == "FAILED" and run.data.tags["failure"] == "oom_host"
    experiment = client.get_experiment_by_name("auto-benchmark/p").experiment_id
    assert len(client.search_runs([experiment], "tags.`auto_benchmark.trial` = 'parent'")) == 1


def test_a_writer_that_died_half_way_is_completed(store, tmp_path, monkeypatch):
    url, client = store
    trial = a_trial(tmp_path, name="ab-3", curve=[Point(step=0, metrics={"loss": 1.0})])
    dying = MlflowRuns(url)
    monkeypatch.setattr(dying._client, "set_terminated", lambda *a, **k: (_ for _ in ()).throw(OSError("gone")))
    with pytest.raises(TrackerAwayError):
        dying.write(trial)
    run_id = MlflowRuns(url).write(trial)
    run = client.get_run(run_id)
    assert run.info.status == "FINISHED" and len(client.get_metric_history(run_id, "curve/loss")) == 1


def test_the_champion_is_a_model_version_and_moves(store, tmp_path):
    url, client = store
    runs = MlflowRuns(url)
    runs.write(a_trial(tmp_path, name="ab-4", config_hash="champ", curve=[]))
    champion = Champion(project="p", solution="s", config_hash="champ", production_id=1)
    assert runs.crown(champion) and runs.crown(champion)
    assert client.get_model_version_by_alias("p-s", CHAMPION).version in {"1", 1}
    assert runs.crown(champion.model_copy(update={"production_id": 2}))
    assert int(client.get_model_version_by_alias("p-s", CHAMPION).version) == 2
    assert not runs.crown(champion.model_copy(update={"config_hash": "never ran", "production_id": 3}))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_not_a_number_cannot_be_told(tmp_path, value):
    with pytest.raises(ValidationError, match="finite"):
        Point(step=0, metrics={"loss": value})
    with pytest.raises(ValidationError, match="finite"):
        a_trial(tmp_path, metrics={"accuracy": value})
    assert parse_progress(
        f'AB_PROGRESS {{"step": 1, "metrics": {{"loss": {json.dumps(value)}, "lr": 0.1}}}}'.encode()
    ) == (ProgressLine(1, {"lr": 0.1}))


def test_odd_names_and_long_values_arrive_shortened(store, tmp_path):
    url, client = store
    params = {"name?with*signs": "x" * 20_000, "none": ""}
    run_id = MlflowRuns(url).write(
        a_trial(tmp_path, name="ab-odd", metrics={"p95µ s": 1.5}, curve=[], params=params, message="m" * 9000)
    )
    run = client.get_run(run_id)
    assert run.info.status == "FINISHED" and 1.5 in run.data.metrics.values()
    assert len(run.data.params["name_with_signs"]) <= 500 and len(run.data.tags["message"]) <= 4000


def test_a_server_that_is_away_is_told_within_seconds():
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(TrackerAwayError, match="does not answer"):
        MlflowRuns("http://{}:{}".format(*silent.getsockname()))


def test_long_texts_keep_their_identity():
    assert shortened("short", 10) == "short"
    a, b = shortened("x" * 900 + "a", 100), shortened("x" * 900 + "b", 100)
    assert len(a) <= 100 and a != b


@pytest.mark.parametrize("url", ["http://user:s3cret@127.0.0.1:1", "postgresq://user:s3cret@127.0.0.1/mlflow"])
def test_a_tracker_that_is_away_does_not_tell_its_password(url):
    with pytest.raises(TrackerAwayError) as away:
        MlflowRuns(url)
    assert "s3cret" not in str(away.value)
