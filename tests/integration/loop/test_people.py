"""A person approves, rejects, and withdraws trials; what rested on them is decided again."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from auto_benchmark.db.repositories import decisions, hypotheses, production, records
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.experiments.outcome.invalidation import invalidate_dataset, invalidate_trial
from auto_benchmark.experiments.submission import submit
from auto_benchmark.flows import inline
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus
from auto_benchmark.project.reconcile import reconcile
from auto_benchmark.registry.leaderboard import SubmissionSettings
from auto_benchmark.registry.schedule import Mode
from auto_benchmark.telling import approvals, escalations


def holder(ctx):
    with ctx.sessions() as session:
        return production.current(session=session, project=ctx.project)


def until(ctx, outcome):
    """Sweep until an experiment ends like this; its hypothesis."""
    inline.scrape(ctx)
    for _ in range(4):
        for done in inline.sweep(ctx)["experiments"]:
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
        made = decisions.get(session=session, project="default", decision_id=done["decision_id"])
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


def waiting(ctx):
    with ctx.sessions() as session:
        return [e.key for e in records.open_escalations(session=session, project=ctx.project)]


def controls(ctx, decision_id):
    """Trials of the control that a decision counts: as long as enough are left, its verdict stands."""
    with ctx.sessions() as session:
        made = decisions.get(session=session, project="default", decision_id=decision_id)
        of = "select id from auto_benchmark.trials where id = any(:ids) and purpose = 'control' order by id"
        return list(session.scalars(text(of), {"ids": list(made.trial_ids)}))


def test_a_waiting_promotion_that_is_decided_again_is_asked_for_again(toy):
    ctx = toy.scheduled(automation={"promotion": "approve"})
    done = until(ctx, "waits_for_approval")
    name, old = done["hypothesis_id"], f"approve-promotion/{done['decision_id']}"
    assert waiting(ctx) == [old]
    with pytest.raises(InputError, match="approved or rejected, not closed"):
        escalations.close(ctx, old, by="ann", reason="x")
    first, *rest = controls(ctx, done["decision_id"])
    (told,) = invalidate_trial(ctx, first, by="ann", reason="wrong file")
    assert told["action"] == "stands"
    (new,) = waiting(ctx)
    assert new != old and new.startswith("approve-promotion/")
    with pytest.raises(InputError, match="nothing called"):
        escalations.approve(ctx, old, by="ann", reason="x")
    for trial in rest:
        (told,) = invalidate_trial(ctx, trial, by="ann", reason="wrong file")
        assert waiting(ctx) == [] if told["after"] != "promote" else len(waiting(ctx)) == 1
    assert told["action"] == "tested again" and waiting(ctx) == [], "nothing is left to approve"
    with ctx.sessions() as session:
        again = hypotheses.get(session=session, project=ctx.project, hypothesis_id=name)
    assert again.status is HypothesisStatus.QUEUED


@pytest.mark.parametrize("answer", ["approve", "reject"])
def test_the_new_question_is_answered_and_an_outdated_one_is_closed(toy, answer):
    ctx = toy.scheduled(automation={"promotion": "approve"})
    done = until(ctx, "waits_for_approval")
    old = f"approve-promotion/{done['decision_id']}"
    invalidate_trial(ctx, controls(ctx, done["decision_id"])[0], by="ann", reason="wrong file")
    with ctx.sessions.begin() as session:  # left open, as versions before this one did
        session.execute(text("update auto_benchmark.escalations set resolved_at = null where key = :k"), {"k": old})
    (new,) = set(waiting(ctx)) - {old}
    for act in (escalations.approve, escalations.reject):
        with pytest.raises(RefusedError, match="decided again"):
            act(ctx, old, by="ann", reason="x")
    if answer == "reject":
        assert escalations.close(ctx, old, by="ann", reason="outdated") == {"key": old, "closed": True}
        assert waiting(ctx) == [new]
    getattr(escalations, answer)(ctx, new, by="ann", reason="it is right")
    assert waiting(ctx) == [], "an answer settles every question about the promotion"
    assert (holder(ctx).candidate.hypothesis_id == done["hypothesis_id"]) == (answer == "approve")


def test_an_outdated_question_for_a_submission_is_closed_or_goes_by_itself(toy):
    plain = toy.scheduled(automation={"submission": Mode.APPROVE}, submission={"terms_acknowledged": True})
    (board,) = plain.boards
    arena = board.model_copy(update={"submission": SubmissionSettings(api="http://127.0.0.1:9/submit")})
    registry = plain.config.registry.model_copy(update={"target_leaderboards": [arena]})
    ctx = replace(plain, config=replace(plain.config, registry=registry))
    reconcile(ctx)
    assert submit(ctx) == []
    first = f"approve-submission/ToyBoard/{holder(ctx).id}"
    assert waiting(ctx) == [first]
    promote_anew(ctx, reads=6)
    for act in (escalations.approve, escalations.reject):
        with pytest.raises(RefusedError, match="production has changed"):
            act(ctx, first, by="ann", reason="x")
    assert escalations.close(ctx, first, by="ann", reason="outdated")["closed"]
    submit(ctx)
    second = f"approve-submission/ToyBoard/{holder(ctx).id}"
    assert waiting(ctx) == [second]
    with pytest.raises(InputError, match="approved or rejected, not closed"):
        escalations.close(ctx, second, by="ann", reason="x")
    promote_anew(ctx, reads=7)
    submit(ctx)
    third = f"approve-submission/ToyBoard/{holder(ctx).id}"
    assert waiting(ctx) == [third] and third != second
    told = escalations.approve(ctx, third, by="ann", reason="hand it in")
    assert told == {"kind": "submission", "subject": "ToyBoard", "approved": True} and waiting(ctx) == []


def promote_anew(ctx, **params):
    """Another configuration takes production's role."""
    candidate = replace(holder(ctx).candidate, params={**holder(ctx).candidate.params, **params})
    with ctx.sessions.begin() as session:
        production.promote(session=session, project=ctx.project, candidate=candidate)


def test_a_promotion_that_stood_once_is_rolled_back_when_it_falls_later(toy):
    ctx = toy.ctx
    done = until(ctx, "promote")
    promoted = holder(ctx)
    actions = []
    for trial in controls(ctx, done["decision_id"]):
        (told,) = invalidate_trial(ctx, trial, by="ann", reason="wrong file")
        actions.append(told["action"])
    assert actions[0] == "stands" and actions[-1] == "rolled back, tested again"
    assert holder(ctx).id != promoted.id and holder(ctx).candidate.hypothesis_id is None


def test_the_data_in_use_is_not_withdrawn_under_our_feet(toy):
    with pytest.raises(RefusedError, match="new version first"):
        invalidate_dataset(toy.ctx, "toy", "1", by="ann", reason="x")
    with pytest.raises(InputError, match="no finished trial used toy version 0"):
        invalidate_dataset(toy.ctx, "toy", "0", by="ann", reason="x")
