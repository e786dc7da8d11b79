"""An attempt that failed is not forgotten because the next one ended well: another attempt is another draw."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import text
from tests.integration.loop.test_gate_items import BETTER, queue

from auto_benchmark.artifacts import trial_folder
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.db.repositories import decisions
from auto_benchmark.experiments.gate import rounds
from auto_benchmark.experiments.outcome.promotion import finish, plan_confirmation
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.experiments.trials.results import stored
from auto_benchmark.flows import inline
from auto_benchmark.promotion.replay import replay
from auto_benchmark.promotion.schema import Failures

pytestmark = pytest.mark.timeout(180)
FAILS_FIRST = """
from pathlib import Path as _Path
_met = _Path({place!r}) / f"{{config['seed']}}"
if params["flip"] < 0.1 and config["seed"] in {seeds} and not _met.exists():
    _met.touch()
    raise SystemExit({code})
"""
FIRST_CANDIDATE = "SELECT id, failures, attempts FROM auto_benchmark.trials WHERE purpose = 'candidate' ORDER BY seed"


def judged(toy, seeds, code=3, look=1):
    """The experiment of a candidate that fails at the first attempt with these of its seeds, counted from its first."""
    place = toy.files.folder / "met"
    place.mkdir(mode=0o777)
    place.chmod(0o777)
    toy.files.train_also(FAILS_FIRST.format(place=str(place), seeds=seeds, code=code))
    toy.files.declare(resources={"writable": [str(place)]})
    ctx = toy.again()
    inline.scrape(ctx)
    hypothesis = queue(ctx, BETTER)
    rounds.claim(ctx, "owner", hypothesis_id=hypothesis)
    run_trials(ctx, rounds.plan_validation(ctx, hypothesis))
    run_trials(ctx, rounds.plan_round(ctx, hypothesis, look))
    told = rounds.decide(ctx, hypothesis, look)
    run_trials(ctx, plan_confirmation(ctx, hypothesis))
    return ctx, hypothesis, told


def test_a_candidate_that_fails_before_it_ends_well_is_refused(toy):
    ctx, hypothesis, told = judged(toy, [1001])
    assert told["verdict"] == "reject"
    with ctx.sessions() as session:
        rows = session.execute(text(FIRST_CANDIDATE)).all()
        experiment = rounds.experiment_of(ctx, session, hypothesis)
        (made,) = decisions.of_experiment(session=session, experiment_id=experiment.id)
    assert [row.failures for row in rows] == [[], ["crash"], []]
    evidence = json.loads(made.evidence_json)["evidence"]
    assert Failures(**evidence["candidate_failures"]) == Failures(seeds=3, failed=1)
    assert evidence["control_failures"]["failed"] == 0
    assert "1 of 3 seeds failed" in made.reason
    assert replay(made.evidence_json, made.decision_json) == []
    folder = ctx.home / "experiments" / "results" / hypothesis / "seed-1001"
    assert trial_folder.read_results(folder)["measured"]["failures"] == ["crash"]
    with ctx.sessions() as session:
        trial = next(t for t in rounds.trials.of_experiment(session=session, experiment_id=experiment.id)
                     if t.plan.seed == 1001)  # fmt: skip
    spec = ctx.bench.spec_of(trial, "again")
    again = stored(folder, ctx.bench, ctx.bench.config(spec), ctx.bench.fingerprint())
    assert again.failures == (FailureClass.CRASH,), "a worker that died behind the training records it too"


def test_seeds_that_blame_the_environment_while_others_end_have_failed(toy):
    """Otherwise a lottery would show its lucky seeds alone: every unlucky one could say that there is no GPU."""
    _, _, told = judged(toy, [1001, 1002], code=78, look=2)
    assert told["verdict"] == "reject"
    assert any("2 of 5 seeds failed" in line for line in toy.said)


def test_one_seed_on_a_broken_machine_is_forgiven(toy):
    ctx, hypothesis, told = judged(toy, [1001], code=78)
    assert told["verdict"] != "reject"
    with ctx.sessions() as session:
        experiment = rounds.experiment_of(ctx, session, hypothesis)
        (made,) = decisions.of_experiment(session=session, experiment_id=experiment.id)
    assert json.loads(made.evidence_json)["evidence"]["candidate_failures"]["failed"] == 0


def test_a_winner_whose_fresh_seeds_fail_is_not_promoted(toy):
    ctx, hypothesis, told = judged(toy, [1501])
    assert told["verdict"] == "promote"
    assert finish(ctx, hypothesis)["outcome"] == "reject"
    assert any("passed the gate and is not promoted: not confirmed: of the fresh seeds" in line for line in toy.said)
    with ctx.sessions() as session:
        experiment = rounds.experiment_of(ctx, session, hypothesis)
    assert experiment.reason.startswith("not confirmed: of the fresh seeds: 1 of 3 seeds failed, 0 of ")


def test_fresh_seeds_without_a_score_leave_it_to_a_person(toy):
    ctx, hypothesis, told = judged(toy, [])
    assert told["verdict"] == "promote"
    with ctx.sessions.begin() as session:
        session.execute(
            text(
                "UPDATE auto_benchmark.trials SET state = 'failed', failure_class = 'environment_error', "
                "failures = '[\"environment_error\"]' WHERE purpose = 'estimate' AND seed = 1501"
            )
        )
    assert finish(ctx, hypothesis)["outcome"] == "waits_for_approval"
    assert any("2 of 3 fresh seeds have a score" in e for e in _asked(ctx))


def _asked(ctx):
    with ctx.sessions() as session:
        return session.execute(text("SELECT brief FROM auto_benchmark.escalations")).scalars().all()
