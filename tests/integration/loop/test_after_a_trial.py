"""What is kept of a trial and what can be done with it later: rescoring, re-running, proof of effect, tracking."""

import json
import re
import socket
from dataclasses import replace

import pytest
from sqlalchemy import text

from auto_benchmark.contract.record import ExperimentPlan, TrialPlan
from auto_benchmark.contract.trial import Stage
from auto_benchmark.db.repositories import experiments, observations, trials
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.experiments.gate import effect, rounds
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.experiments.trials.rerun import evaluate, rerun
from auto_benchmark.experiments.trials.rescore import rescore
from auto_benchmark.project import tracking
from auto_benchmark.project.reconcile import reconcile
from auto_benchmark.runners import runner


def run(ctx, params=None, *, purpose="search", experiment_id=None, stage=Stage.FAST, subset=0.2):
    reconcile(ctx)
    plan = TrialPlan(
        solution="toy", params={**ctx.bench.solution.solution.defaults, **(params or {})}, benchmark=ctx.bench.ref,
        stage=stage, seed=1, purpose=purpose, subset=subset, experiment_id=experiment_id,
    )  # fmt: skip
    with ctx.sessions.begin() as session:
        (planned,) = trials.plan(session=session, project=ctx.project, plans=[plan])
    (trial,) = run_trials(ctx, [planned.id])
    return trial


def metrics(ctx, trial):
    with ctx.sessions() as session:
        return observations.metrics_of(session=session, trial_ids=[trial.id])[trial.id]


def test_rescoring_restores_what_the_scorer_says_and_trains_nothing(toy):
    trial = run(toy.ctx)
    right = metrics(toy.ctx, trial)
    with toy.ctx.sessions.begin() as session:
        session.execute(text("UPDATE auto_benchmark.metric_values SET value = 0.99 WHERE name = 'accuracy'"))
    told = rescore(toy.ctx, trial.id)
    assert told["changed"] and told["before"]["accuracy"] == 0.99
    assert metrics(toy.ctx, trial) == pytest.approx(right)
    assert not rescore(toy.ctx, trial.id)["changed"]


def test_what_cannot_be_rescored_is_refused_in_words(toy):
    trial = run(toy.ctx)
    with pytest.raises(InputError, match="no trial 999"):
        rescore(toy.ctx, 999)
    (toy.ctx.home / trial.artifact_uri / "predictions.jsonl").unlink()
    with pytest.raises(InputError, match="was not written"):
        rescore(toy.ctx, trial.id)
    with toy.ctx.sessions.begin() as session:
        session.execute(text("UPDATE auto_benchmark.trials SET state = 'failed'"))
    with pytest.raises(RefusedError, match="only a finished one"):
        rescore(toy.ctx, trial.id)


def files(folder):
    return {f.name: f.read_bytes() for f in folder.iterdir() if f.suffix in {".json", ".jsonl", ".yaml"}}


def test_evaluating_one_trial_twice_gives_the_same_bytes(toy):
    trial = run(toy.ctx)
    folder = toy.ctx.home / trial.artifact_uri
    first = files(folder)
    with toy.ctx.sessions.begin() as session:
        session.execute(text("UPDATE auto_benchmark.metric_values SET value = 0.99 WHERE name = 'accuracy'"))
    for name in ("items.json", "eval_on_leaderboard.json"):
        (folder / name).write_text("{}")
    assert rescore(toy.ctx, trial.id)["changed"]
    assert {"items.json", "eval_on_leaderboard.json", "predictions.jsonl"} <= first.keys()
    assert files(folder).keys() == first.keys()
    for name in first.keys() - {"metrics.json"}:
        assert files(folder)[name] == first[name], name
    assert json.loads(files(folder)["metrics.json"])["scored"] == json.loads(first["metrics.json"])["scored"]


@pytest.fixture(params=["local", pytest.param("docker", marks=pytest.mark.docker)])
def placed(request, toy):
    """The toy project with its trials in each place."""
    if request.param == "local":
        return toy.ctx
    image = request.getfixturevalue("contract_image")
    solution = toy.ctx.bench.solution
    code = (solution.path / "train.py").read_text()
    declared = solution.solution.model_copy(update={"command": ["python", "-c", code], "image": image})
    bench = replace(toy.ctx.bench, solution=replace(solution, solution=declared), runner=runner("docker"))
    return replace(toy.ctx, bench=bench)


def test_a_stored_trial_run_again_gives_the_same_predictions(placed):
    trial = run(placed)
    told = rerun(placed, trial.id)
    assert (told["same"], told["different"], told["environment"]) == (True, [], {}) and told["answers"] == 80
    with placed.sessions() as session:
        (recorded,) = session.scalars(text("SELECT fingerprint FROM auto_benchmark.trials"))
        queries = session.scalar(text("SELECT sum(queries) FROM auto_benchmark.split_queries"))
    assert recorded.keys() >= {"code", "lock", "data", "git", "cpu", "machine", "gpu", "python", "runner", "key"}
    assert ("image" in recorded) == (recorded["runner"] == "docker") and queries == 1
    assert not list(placed.settings.root.glob("rerun-*"))
    file = placed.home / trial.artifact_uri / "predictions.jsonl"
    file.write_text(file.read_text().replace("high", "low", 1))
    told = rerun(placed, trial.id)
    assert not told["same"] and len(told["different"]) == 2


LEARNS = """data = Path(os.environ["AB_DATA_DIR"])
if (data / "checkpoint.bin").exists():
    assert not (data / "train.jsonl").exists(), "nothing to train on"
    luck = (data / "checkpoint.bin").read_text()
else:
    luck = os.urandom(8).hex()
    (out / "checkpoint.bin").write_text(luck)
rng = random.Random(luck)"""


@pytest.fixture
def learning(toy):
    """The toy solution with luck that only its checkpoint remembers."""
    file = toy.ctx.bench.solution.path / "train.py"
    code = file.read_text()
    assert "rng = random.Random(" in code
    file.write_text(re.sub(r"^rng = .*$", lambda _: LEARNS, code, flags=re.MULTILINE))


def test_a_stored_checkpoint_answers_again_without_training(learning, placed):
    trial = run(placed, {"flip": 0.4})
    assert not rerun(placed, trial.id)["same"], "training again is luck"
    assert [evaluate(placed, trial.id)["same"] for _ in range(2)] == [True, True]
    assert not list(placed.settings.root.glob("rerun-*"))
    checkpoint = placed.home / trial.artifact_uri / "checkpoint.bin"
    checkpoint.write_text("other luck")
    told = evaluate(placed, trial.id)
    assert not told["same"] and told["different"]
    checkpoint.unlink()
    with pytest.raises(RefusedError, match=r"has no checkpoint\.bin"):
        evaluate(placed, trial.id)


def test_what_has_changed_since_is_named(toy):
    trial = run(toy.ctx)
    code = toy.ctx.bench.solution.path / "train.py"
    code.write_text(code.read_text() + "\n# another comment\n")
    told = rerun(toy.ctx, trial.id)
    assert told["same"] and told["environment"].keys() == {"code", "key"}
    code.write_text("raise SystemExit(3)")
    with pytest.raises(RefusedError, match="fails now: crash"):
        rerun(toy.ctx, trial.id)
    with pytest.raises(InputError, match="no trial 999"):
        rerun(toy.ctx, 999)
    (toy.ctx.home / trial.artifact_uri / "predictions.jsonl").unlink()
    with pytest.raises(RefusedError, match=r"no predictions\.jsonl"):
        rerun(toy.ctx, trial.id)


@pytest.mark.parametrize(("change", "seen"), [({"colour": "green"}, False), ({"reads": 6}, True), ({}, False)])
def test_a_change_without_effect_is_told_from_one_with_an_effect(toy, change, seen):
    file = toy.ctx.bench.solution.path / "train.py"
    file.write_text(file.read_text().replace("{config['seed']} {params}", "{config['seed']}"))
    base = toy.ctx.bench.solution.solution.defaults
    with toy.ctx.sessions.begin() as session:
        reconcile(toy.ctx)
        plan = ExperimentPlan(
            kind="hypothesis", key="HYP-1", solution="toy", benchmark=toy.ctx.bench.ref, params={**base, **change},
            control_params=base,
        )  # fmt: skip
        experiment = experiments.start(session=session, project=toy.ctx.project, plan=plan)
    candidate = run(toy.ctx, change, purpose="validation", experiment_id=experiment.id)
    with toy.ctx.sessions.begin() as session:
        (control,) = trials.plan(
            session=session, project="default", plans=[effect.base_plan(toy.ctx, experiment, candidate.plan)]
        )
    run_trials(toy.ctx, [control.id])
    with toy.ctx.sessions.begin() as session:
        found = effect.no_effect(toy.ctx, session, experiment, candidate)
    assert (found is None) == seen
    if change == {"colour": "green"}:
        assert found.startswith("colour had no effect: all 80 answers equal the base's")


def test_trials_wait_for_a_tracker_that_is_away_and_are_written_when_it_is_back(toy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    toy.follow()  # the trial names no code, as production then does
    trial = run(toy.ctx)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        away = replace(
            toy.ctx, settings=toy.ctx.settings.model_copy(update={"mlflow_url": f"http://127.0.0.1:{port}"})
        )
        told = tracking.flush(away)
    assert (told["written"], told["waiting"]) == (0, 1) and "does not answer" in told["reason"]
    url = f"sqlite:///{tmp_path}/mlflow.db"
    back = replace(toy.ctx, settings=toy.ctx.settings.model_copy(update={"mlflow_url": url}))
    assert tracking.flush(back) == {"written": 1, "waiting": 0, "reason": ""}
    assert tracking.flush(back)["written"] == 0
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=url)
    runs = client.search_runs([client.get_experiment_by_name("auto-benchmark/default").experiment_id])
    (child,) = [r for r in runs if r.data.tags["auto_benchmark.trial"] == toy.ctx.trial_name(trial.id)]
    assert child.data.metrics["accuracy"] == metrics(toy.ctx, trial)["accuracy"]
    assert client.get_model_version_by_alias("default-toy", "champion").run_id == child.info.run_id


def test_a_sweep_that_finds_nothing_to_try_writes_its_trials_to_mlflow(toy, tmp_path, monkeypatch):
    """Nothing else of such a sweep follows its search, and the next run of a DAG may be a day away."""
    monkeypatch.chdir(tmp_path)
    toy.follow()
    url = f"sqlite:///{tmp_path}/mlflow.db"
    told = replace(toy.ctx, settings=toy.ctx.settings.model_copy(update={"mlflow_url": url}))
    trial = run(told, purpose="search")
    assert rounds.claim(told, "owner") is None
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=url)
    runs = client.search_runs([client.get_experiment_by_name("auto-benchmark/default").experiment_id])
    assert toy.ctx.trial_name(trial.id) in {run.data.tags.get("auto_benchmark.trial") for run in runs}
