"""MLflow: names that it refuses, attempts that share a run, and runs of workers that died."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from mlflow.exceptions import MlflowException
from mlflow.protos.databricks_pb2 import INVALID_PARAMETER_VALUE, TEMPORARILY_UNAVAILABLE
from mlflow.utils.validation import _validate_metric_name
from tests.integration.loop.conftest import toy  # noqa: F401 - a fixture

from auto_benchmark.contract.trial import Stage
from auto_benchmark.tracking.mlflow_errors import TrackerAwayError, reaching
from auto_benchmark.tracking.mlflow_runs import MlflowRuns
from auto_benchmark.tracking.mlflow_values import key
from auto_benchmark.tracking.trial_run import Point, TrialRun


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Address of a store in a file, and a client of it."""
    folder = tmp_path_factory.mktemp("mlflow")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)  # MLflow keeps artifacts of a local store below the working directory
        from mlflow.tracking import MlflowClient

        url = f"sqlite:///{folder}/mlflow.db"
        yield url, MlflowClient(tracking_uri=url)


def a_trial(name, **changes):
    facts = {
        "project": "p", "name": name, "experiment": "HYP-1", "state": "done", "params": {"rate": 0.1}, "seed": 1,
        "stage": "full", "purpose": "search", "config_hash": "abc", "metrics": {"accuracy": 0.7}, "started_ms": 10,
        "finished_ms": 20, "folder": "/nowhere",
    }  # fmt: skip
    return TrialRun.model_validate({**facts, **changes})


ACCEPTED = [
    "reward/mean@2",
    "box/mAP75(M)",
    "time(ms)/step",
    "gpu:1 mem(%)",
    "précision",
    "loss[delta=1.5]",
    "a,b",
    "",
]
REFUSED = ["train//loss", "/first loss", "loss/", "last/../best", "./current"]


class TestNames:
    @pytest.mark.parametrize("name", ACCEPTED)
    def test_an_odd_name_keeps_its_value(self, store, name):
        self.found(store, name)

    @pytest.mark.parametrize("name", REFUSED)
    def test_a_name_that_is_a_crooked_path_keeps_its_value(self, store, name):
        self.found(store, name)

    @staticmethod
    def found(store, name):
        url, client = store
        curve = [Point(step=step, metrics={name: step + 0.25}) for step in range(3)]
        trial = a_trial(f"ab-name-{abs(hash(name))}", metrics={name: 0.625}, curve=curve)
        metrics = client.get_run(MlflowRuns(url).write(trial)).data.metrics
        assert 0.625 in metrics.values() and 2.25 in metrics.values()

    def test_two_names_that_become_one_both_keep_their_values(self, store):
        url, client = store
        trial = a_trial("ab-two-names", metrics={"recall@5": 0.25, "recall_5": 0.75})
        metrics = client.get_run(MlflowRuns(url).write(trial)).data.metrics
        assert {0.25, 0.75} <= set(metrics.values())


@pytest.fixture
def tracked(toy, store):  # noqa: F811
    """The toy project, whose trials are written to the store."""
    toy.ctx.settings.mlflow_url = store[0]
    return toy.again()


def test_a_trial_that_is_refused_keeps_no_other_from_being_written(tracked, store):
    from auto_benchmark.project.tracking import flush, journal

    project = f"refused_{tracked.trial_name_prefix}"
    journal(tracked).mkdir(parents=True, exist_ok=True)
    for number in range(4):
        metrics = {"train//loss" if number == 1 else "loss": 0.5}
        trial = a_trial(f"ab-journal-{number}", project=project, metrics=metrics)
        (journal(tracked) / f"{trial.name}.json").write_text(trial.model_dump_json())
    flush(tracked)
    experiment = store[1].get_experiment_by_name(f"auto-benchmark/{project}")
    written = {r.data.tags["auto_benchmark.trial"] for r in store[1].search_runs([experiment.experiment_id])}
    assert {"ab-journal-0", "ab-journal-2", "ab-journal-3"} <= written


TALK = """
for step in range(6):
    print("AB_PROGRESS " + json.dumps({"step": step, "metrics": {"loss": 1.0}}), flush=True)
first = Path(STATE)
if not first.exists():
    first.touch()
    raise RuntimeError("the first attempt fails")
"""


def test_each_attempt_has_a_run_of_its_own(toy, tracked, store, tmp_path):  # noqa: F811
    from auto_benchmark.contract.record import TrialPlan
    from auto_benchmark.db.repositories import trials
    from auto_benchmark.experiments.trials.planned import run_trials
    from auto_benchmark.project.reconcile import reconcile
    from auto_benchmark.project.tracking import flush

    folder = tmp_path / "toy/solutions/toy"
    state = tmp_path / "state"
    state.mkdir()
    state.chmod(0o777)  # a trial may be a user of its own
    code = (folder / "train.py").read_text() + TALK.replace("STATE", repr(str(state / "tried")))
    (folder / "train.py").write_text(code)
    declared = yaml.safe_load((folder / "solution.yaml").read_text())
    declared["resources"] = {"writable": [str(state)]}
    (folder / "solution.yaml").write_text(yaml.safe_dump(declared))
    tracked = toy.again()
    reconcile(tracked)
    plan = TrialPlan(
        solution="toy", params=tracked.bench.solution.solution.defaults, benchmark=tracked.bench.ref,
        stage=Stage.FAST, seed=1, purpose="search",
    )  # fmt: skip
    with tracked.sessions.begin() as session:
        (trial,) = trials.plan(session=session, project=tracked.project, plans=[plan])
    (done,) = run_trials(tracked, [trial.id])
    flush(tracked)
    if done.state != "done" or not (state / "tried").exists():
        raise RuntimeError(f"the trial should fail once and then end well: {done}")
    client = store[1]
    experiment = client.get_experiment_by_name(f"auto-benchmark/{tracked.project}")
    runs = client.search_runs(
        [experiment.experiment_id], f"tags.`auto_benchmark.trial` = '{tracked.trial_name(trial.id)}'"
    )
    points = {run.info.status: len(client.get_metric_history(run.info.run_id, "curve/loss")) for run in runs}
    assert points == {"FAILED": 6, "FINISHED": 6}


def test_the_run_of_a_dead_worker_stays_and_is_marked(store):
    url, client = store
    runs = MlflowRuns(url)
    left = runs.begin(a_trial("ab-dead", state="running", attempt=1))
    runs.write(a_trial("ab-dead", attempt=2))
    run = client.get_run(left)
    assert (run.info.status, run.info.lifecycle_stage) == ("KILLED", "active")
    assert run.data.tags.get("reaped") == "true"


def test_a_run_that_is_closed_for_a_dead_worker_is_marked(store):
    url, client = store
    runs = MlflowRuns(url)
    left = runs.begin(a_trial("ab-left", state="running"))
    runs.abandon("p", "ab-left")
    run = client.get_run(left)
    assert (run.info.status, run.data.tags.get("reaped")) == ("KILLED", "true")


def test_a_value_that_mlflow_refuses_is_left_out_with_a_note(store, monkeypatch):
    """One refused value of a batch costs that value alone, whatever it is that MLflow does not like."""
    url, client = store
    runs = MlflowRuns(url)
    log_batch = runs._client.log_batch

    def picky(run_id, metrics=(), params=(), tags=()):
        if any(one.key in {"m7", "curve/c3", "p5"} for one in (*metrics, *params)):
            raise MlflowException("not this one", INVALID_PARAMETER_VALUE)
        log_batch(run_id, metrics=metrics, params=params, tags=tags)

    monkeypatch.setattr(runs._client, "log_batch", picky)
    trial = a_trial(
        "ab-picky", metrics={f"m{n}": n / 8 for n in range(20)}, params={f"p{n}": n for n in range(150)},
        curve=[Point(step=s, metrics={f"c{n}": 0.5 for n in range(5)}) for s in range(3)],
    )  # fmt: skip
    run = client.get_run(runs.write(trial))
    assert run.info.status == "FINISHED" and run.data.tags["auto_benchmark.left_out"] == "p5, m7, curve/c3"
    assert len([k for k in run.data.metrics if k.startswith("m")]) == 19 and "curve/c4" in run.data.metrics
    assert len([k for k in run.data.params if k.startswith("p")]) == 150, "150 of ours less one, and the purpose"


@pytest.mark.parametrize(("code", "waits"), [(INVALID_PARAMETER_VALUE, False), (TEMPORARILY_UNAVAILABLE, True)])
def test_a_run_that_is_refused_is_set_aside_and_one_that_cannot_be_told_waits(tracked, monkeypatch, code, waits):
    from auto_benchmark.project.tracking import flush, journal

    def refusing(runs, trial):
        with reaching(trial.name):
            if trial.name == "ab-journal-1":
                raise MlflowException("no", code)
            return write(runs, trial)

    write = MlflowRuns.write
    monkeypatch.setattr(MlflowRuns, "write", refusing)
    folder = journal(tracked)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(4):
        trial = a_trial(f"ab-journal-{number}", project=f"aside_{tracked.trial_name_prefix}")
        (folder / f"{trial.name}.json").write_text(trial.model_dump_json())
    told = flush(tracked)
    assert (told["written"], told["waiting"]) == (3, int(waits)) and "ab-journal-1" in told["reason"]
    left = {file.name for file in folder.iterdir()}
    assert left == {"ab-journal-1.json" if waits else "ab-journal-1.refused"}


def test_a_tracker_that_answers_nothing_is_not_asked_for_every_run(tracked, monkeypatch):
    from auto_benchmark.project.tracking import MOST_FAILURES, flush, journal

    asked = []

    def silent(runs, trial):
        asked.append(trial.name)
        raise TrackerAwayError("no answer")

    monkeypatch.setattr(MlflowRuns, "write", silent)
    journal(tracked).mkdir(parents=True, exist_ok=True)
    for number in range(9):
        trial = a_trial(f"ab-away-{number}")
        (journal(tracked) / f"{trial.name}.json").write_text(trial.model_dump_json())
    assert flush(tracked)["waiting"] == 9 and len(asked) == MOST_FAILURES


def test_a_run_names_the_task_that_ran_its_trial(tracked, store, monkeypatch):
    from auto_benchmark.contract.record import TrialPlan
    from auto_benchmark.db.repositories import trials
    from auto_benchmark.experiments.trials.planned import run_trials
    from auto_benchmark.project.reconcile import reconcile
    from auto_benchmark.project.tracking import flush

    facts = {"dag_id": "sweep", "run_id": "manual__1", "task_id": "trial", "map_index": "3", "try_number": "2"}
    variables = {"run_id": "DAG_RUN_ID"}
    for name, value in facts.items():
        monkeypatch.setenv(f"AIRFLOW_CTX_{variables.get(name, name.upper())}", value)
    reconcile(tracked)
    plan = TrialPlan(
        solution="toy", params=tracked.bench.solution.solution.defaults, benchmark=tracked.bench.ref,
        stage=Stage.FAST, seed=1, purpose="search",
    )  # fmt: skip
    with tracked.sessions.begin() as session:
        (trial,) = trials.plan(session=session, project=tracked.project, plans=[plan])
    run_trials(tracked, [trial.id])
    flush(tracked)
    condition = f"tags.`auto_benchmark.trial` = '{tracked.trial_name(trial.id)}'"
    experiment = store[1].get_experiment_by_name(f"auto-benchmark/{tracked.project}").experiment_id
    (run,) = store[1].search_runs([experiment], condition)
    assert facts.items() <= run.data.tags.items()


@given(st.lists(st.text(max_size=300), min_size=1, max_size=20, unique=True))
@settings(deadline=None)
def test_any_names_become_names_that_mlflow_takes_and_stay_apart(names):
    keys = [key(name, "curve/") for name in names]
    assert len(set(keys)) == len(names)
    for one in keys:
        _validate_metric_name(one)
        assert len(one) <= 250
