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


def decided(ctx):
    """Ids of an experiment of the project and of a decision on it."""
    from auto_benchmark.contract.record import ExperimentPlan
    from auto_benchmark.db.repositories import decisions, experiments
    from auto_benchmark.kinds import ExperimentKind
    from auto_benchmark.promotion.gate import Case
    from auto_benchmark.promotion.schema import Evidence

    params = ctx.bench.solution.solution.defaults
    plan = ExperimentPlan(ExperimentKind.HYPOTHESIS, "H-001", "toy", ctx.bench.ref, params)
    case = Case(
        evidence=Evidence(metric="accuracy", higher_is_better=True, promotion_threshold=0.1, candidate=[], control=[])
    )
    with ctx.sessions.begin() as session:
        experiment = experiments.start(session=session, project=ctx.project, plan=plan)
        made, _ = decisions.record(
            session=session,
            project=ctx.project,
            experiment_id=experiment.id,
            look=1,
            case=case,
            decision=case.decide(),
        )
    return experiment.id, made.id


def test_ids_of_another_project_name_nothing(toy, second, theirs):
    from auto_benchmark.db.repositories import decisions, experiments, trials

    experiment, decision = decided(second)
    for ctx, known in ((second, True), (toy.ctx, False)):
        with ctx.sessions() as session:
            found = (
                trials.get(session=session, project=ctx.project, trial_id=theirs),
                experiments.get(session=session, project=ctx.project, experiment_id=experiment),
                decisions.get(session=session, project=ctx.project, decision_id=decision),
            )
        assert [one is not None for one in found] == [known] * 3


def test_a_decision_of_another_project_is_refused_where_a_project_is_named(second, command):
    _, decision = decided(second)
    assert command("stats", "replay", str(decision), "--project", "default")[0] == 2
    assert command("stats", "replay", str(decision), "--project", "second")[0] == 0
    assert command("stats", "replay", str(decision))[0] == 0, "an id names one decision of the installation"


@pytest.mark.parametrize("number", ["theirs", "x", "", "-1", "9" * 40, "\u0663"])
def test_a_question_about_another_projects_decision_leads_to_nothing_of_it(toy, second, number):
    """Nor does one whose key was made up: an archive or a page may bring any."""
    from auto_benchmark.db.repositories import records
    from auto_benchmark.errors import InputError
    from auto_benchmark.telling import approvals, questions
    from auto_benchmark.telling.technical_log import write_logs

    _, decision = decided(second)
    key = f"approve-promotion/{decision if number == 'theirs' else number}"
    ctx = toy.ctx
    with ctx.sessions.begin() as session:
        records.escalate(session=session, project=ctx.project, key=key, title="Promote", brief="?")
        assert questions.subject_of(session, key, ctx.project) == key
        assert questions.decision_behind(ctx, session, key) is None
    with pytest.raises(InputError, match="no longer waits"):
        approvals.approve_question(ctx, key, by="ann", reason="because")
    write_logs(ctx)
    assert approvals.close(ctx, key, by="ann", reason="made up") == {"key": key, "closed": True}
