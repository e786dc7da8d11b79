"""A person approves, rejects, and withdraws trials; what rested on them is decided again."""

import pytest
from sqlalchemy import text

from auto_benchmark.db.repositories import decisions, hypotheses, production, records
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus
from auto_benchmark.pipelines import approvals, experiment_sweep, leaderboard_scrape
from auto_benchmark.pipelines.invalidation import invalidate_dataset, invalidate_trial


def holder(ctx):
    with ctx.sessions() as session:
        return production.current(session=session, project=ctx.project)


def until(ctx, outcome):
    """Sweep until an experiment ends like this; its hypothesis."""
    leaderboard_scrape.run(ctx)
    for _ in range(4):
        for done in experiment_sweep.run(ctx)["experiments"]:
            if done["outcome"] == outcome:
                return done
    raise AssertionError(f"no experiment ended as {outcome}")


def test_a_promotion_waits_is_approved_and_takes_its_role(toy):
    ctx = toy.scheduled(automation={"promotion": "approve"})
    done = until(ctx, "waits_for_approval")
    before = holder(ctx)
    assert before.candidate.params == ctx.bench.solution.solution.defaults
    with pytest.raises(InputError, match="waiting: H-"):
        approvals.approve(ctx, "H-999", by="ann")
    told = approvals.approve(ctx, done["hypothesis_id"], by="ann")
    assert told == {"kind": "promotion", "subject": done["hypothesis_id"], "approved": True}
    now = holder(ctx)
    assert now.candidate.hypothesis_id == done["hypothesis_id"] and now.id != before.id
    with ctx.sessions() as session:
        assert records.open_escalations(session=session, project=ctx.project) == []
        (entry,) = records.logged(session=session, project=ctx.project, kind="approval")
    assert entry.reason == "promotion approved by ann"
    with pytest.raises(InputError, match="nothing waits"):
        approvals.approve(ctx, done["hypothesis_id"], by="ann")


def test_a_rejected_promotion_is_archived_with_the_reason(toy):
    ctx = toy.scheduled(automation={"promotion": "approve"})
    done = until(ctx, "waits_for_approval")
    approvals.reject(ctx, done["hypothesis_id"], by="ann", reason="too slow for us")
    with ctx.sessions() as session:
        found = hypotheses.get(session=session, project=ctx.project, hypothesis_id=done["hypothesis_id"])
    assert (found.status, found.reason) == (HypothesisStatus.ARCHIVED, "rejected by ann: too slow for us")
    assert holder(ctx).candidate.hypothesis_id is None


def test_a_withdrawn_trial_makes_its_promotion_be_decided_again(toy):
    ctx = toy.ctx
    done = until(ctx, "promote")
    promoted = holder(ctx)
    with ctx.sessions() as session:
        made = decisions.get(session=session, decision_id=done["decision_id"])
        candidate = [
            t
            for t in made.trial_ids
            if session.execute(text("select purpose from auto_benchmark.trials where id = :i"), {"i": t}).scalar()
            == "candidate"
        ]
    told = []
    for trial in candidate:
        told = invalidate_trial(ctx, trial, by="ann", reason="wrong file") or told
    assert told[-1]["hypothesis_id"] == done["hypothesis_id"] and told[-1]["before"] in {
        "promote",
        "insufficient_data",
        "inconclusive",
    }
    now = holder(ctx)
    assert now.id != promoted.id and now.candidate.params == ctx.bench.solution.solution.defaults
    with ctx.sessions() as session:
        again = hypotheses.get(session=session, project=ctx.project, hypothesis_id=done["hypothesis_id"])
    assert again.status is HypothesisStatus.QUEUED and again.reason.startswith("decided again")
    with pytest.raises(InputError, match="no finished trial"):
        invalidate_trial(ctx, candidate[0], by="ann", reason="twice")


def test_the_data_in_use_is_not_withdrawn_under_our_feet(toy):
    with pytest.raises(RefusedError, match="new version first"):
        invalidate_dataset(toy.ctx, "toy", "1", by="ann", reason="x")
    with pytest.raises(InputError, match="no finished trial used toy version 0"):
        invalidate_dataset(toy.ctx, "toy", "0", by="ann", reason="x")
