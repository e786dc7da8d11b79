"""A command on one project changes and runs nothing of another."""

from __future__ import annotations

import shutil
import threading

import pytest
from sqlalchemy import text

from auto_benchmark.project.context import make_context
from auto_benchmark.sources.connection import NamedConnections

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def second(toy):
    """Another project over the same solution, in the same home and database."""
    from auto_benchmark.project.reconcile import reconcile

    config = toy.ctx.settings.config
    folder = config / "projects" / "second"
    folder.mkdir(parents=True)
    for name in ("competitive_registry.yaml", "schedule.yaml", "board.csv"):
        shutil.copy(config / name, folder / name)
    ctx = make_context(toy.ctx.settings, toy.ctx.sessions, NamedConnections({}), project="second")
    for one in (toy.ctx, ctx):
        reconcile(one)
    return ctx


def planned(ctx, seed=1):
    """Id of a planned trial of the project."""
    from auto_benchmark.contract.record import TrialPlan
    from auto_benchmark.contract.trial import Stage
    from auto_benchmark.db.repositories import trials

    plan = TrialPlan("toy", ctx.bench.solution.solution.defaults, ctx.bench.ref, Stage.FAST, seed, "search")
    with ctx.sessions.begin() as session:
        return trials.plan(session=session, project=ctx.project, plans=[plan])[0].id


def finished(ctx):
    """Id of a trial of the project that has run."""
    from auto_benchmark.experiments.trials.planned import run_trial

    trial_id = planned(ctx)
    assert run_trial(ctx, trial_id)["state"] == "done"
    return trial_id


@pytest.fixture
def theirs(toy, second):
    """A finished trial of the second project; the default project has one in the folder of the same name."""
    finished(toy.ctx)
    return finished(second)


def scores(ctx, trial_id):
    query = "select name, value from auto_benchmark.metric_values where trial_id = :id order by name"
    with ctx.sessions() as session:
        return session.execute(text(query), {"id": trial_id}).all()


def test_a_trial_of_another_project_is_not_scored_again(toy, second, theirs, command):
    (ours,) = (toy.ctx.home / "experiments" / "results" / "search").glob("*/seed-1/predictions.jsonl")
    ours.write_text("".join(line.replace("high", "low") + "\n" for line in ours.read_text().splitlines()))
    before = scores(second, theirs)
    code, _ = command("trial", "rescore", str(theirs))
    assert scores(second, theirs) == before
    assert code == 2


@pytest.mark.parametrize("verb", ["rerun", "evaluate"])
def test_the_owner_may_ask_again(second, theirs, command, verb):
    code, _ = command("trial", verb, str(theirs), "--project", "second")
    assert code == (0 if verb == "rerun" else 2), "the toy keeps no checkpoint"


def test_a_trial_of_another_project_is_not_run_again(theirs, command):
    code, _ = command("trial", "rerun", str(theirs))
    assert code == 2


def test_a_trial_of_another_project_is_not_invalidated(second, theirs, command):
    code, _ = command("invalidate", "trial", str(theirs), "--reason", "not mine to withdraw")
    assert code == 2
    with second.sessions() as session:
        state = session.scalar(text("select state from auto_benchmark.trials where id = :id"), {"id": theirs})
    assert state == "done"


def test_a_planned_trial_of_another_project_is_refused_at_once(toy, second):
    from auto_benchmark.db.repositories import trials
    from auto_benchmark.experiments.trials.planned import run_trial

    waiting = planned(second, seed=7)
    ended: list[object] = []

    def run():
        try:
            ended.append(run_trial(toy.ctx, waiting))
        except Exception as error:
            ended.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(1.5)
    told = list(ended)
    with second.sessions.begin() as session:
        state = trials.get(session=session, project="second", trial_id=waiting).state
        trials.cancel(session=session, trial_ids=[waiting], reason="the test has ended")
    thread.join(5)
    assert told, "it still waits"
    assert isinstance(told[0], Exception)
    assert str(state) == "planned"
