"""What one trial says about itself stops nobody else's tracking."""

from __future__ import annotations

import json

import pytest

from auto_benchmark.runners.progress import parse_progress

pytestmark = pytest.mark.timeout(120)
LARGEST_STEP = 2**63 - 1
POISON = """
if config["seed"] == 1:
    print("AB_PROGRESS " + json.dumps({"step": 1, "metrics": {"x" * 250: 1.0}}), flush=True)
"""


def progress(step, name="loss"):
    return parse_progress(b"AB_PROGRESS " + json.dumps({"step": step, "metrics": {name: 1.0}}).encode())


def test_progress_up_to_the_largest_step_is_progress():
    assert progress(LARGEST_STEP).step == LARGEST_STEP


@pytest.mark.parametrize("step", [LARGEST_STEP + 1, 10**300, -(2**63) - 1])
def test_a_step_that_no_tracker_takes_is_no_progress(step):
    assert progress(step) is None


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 100_000], ids=["a NUL", "half a sign", "without end"])
def test_a_name_that_no_tracker_takes_is_not_handed_on(name):
    found = progress(1, name)
    assert found is None or name not in found.metrics


def test_a_run_that_mlflow_refuses_does_not_stop_the_next(toy, tmp_path, monkeypatch):
    from auto_benchmark.contract.record import TrialPlan
    from auto_benchmark.contract.trial import Stage
    from auto_benchmark.db.repositories import trials
    from auto_benchmark.experiments.trials.planned import run_trials
    from auto_benchmark.project import tracking
    from auto_benchmark.project.reconcile import reconcile

    code = toy.ctx.settings.solutions / "toy" / "train.py"
    code.write_text(code.read_text() + POISON)
    monkeypatch.chdir(tmp_path)  # MLflow keeps artifacts of a local store below the working directory
    toy.ctx.settings.mlflow_url = f"sqlite:///{tmp_path}/runs.db"
    ctx = toy.again()
    reconcile(ctx)
    plans = [
        TrialPlan("toy", ctx.bench.solution.solution.defaults, ctx.bench.ref, Stage.FAST, seed, "search")
        for seed in (1, 2)
    ]
    with ctx.sessions.begin() as session:
        ids = [trial.id for trial in trials.plan(session=session, project=ctx.project, plans=plans)]
    for one in ids:  # one after the other: the journal is told in the order of its files
        run_trials(ctx, [one])
    told = tracking.flush(ctx)
    waiting = {file.stem for file in tracking.journal(ctx).glob("*.json")}
    assert ctx.trial_name(ids[1]) not in waiting, told["reason"]
