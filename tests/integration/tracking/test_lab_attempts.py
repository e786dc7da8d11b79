"""Attempts of laboratory runs reach a real MLflow server, once each, also when it was away while they ended."""

import pytest

from auto_benchmark.lab import tracked
from auto_benchmark.lab.plan import Plan
from auto_benchmark.lab.run_folder import TRAJECTORY, Finished, RunFolder
from auto_benchmark.project import tracking

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]


def test_an_attempt_is_one_run_however_often_it_is_noted(talkative, mlflow_server):
    ctx = talkative(mlflow_server.url)
    folder = RunFolder(ctx.home / "lab" / "batch" / "number-1")
    (folder.path / TRAJECTORY).mkdir(parents=True)
    rows = [
        Finished(1, 2.0, True, 400.0, 0.2, "", 7, 1, 0, 0.0),
        Finished(2, 1.0, False, None, 0.0, "bad", 8, 0, 0, 0.0),
    ]
    plan = Plan("number", "tune", 2)
    for row in rows:
        (folder.path / TRAJECTORY / f"{row.attempt}.json").write_text("{}")
        tracked.note(ctx, plan, folder, row)
    assert tracking.flush(ctx)["written"] == 2
    tracked.note(ctx, plan, folder, rows[0])
    assert tracking.flush(ctx)["waiting"] == 0
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=mlflow_server.url)
    experiment = client.get_experiment_by_name(f"auto-benchmark/{ctx.project}").experiment_id
    mine = [r for r in client.search_runs([experiment]) if r.data.params.get("task") == "number"]
    told = sorted((r.data.params["attempt"], r.info.status, r.data.metrics.get("score")) for r in mine)
    assert told == [("1", "FINISHED", 400.0), ("2", "FAILED", None)]
