"""A board that scores production below its promise: kept and told while it is our best, else taken back."""

import pytest

from auto_benchmark.db.repositories import production, records, submissions
from auto_benchmark.defense.promises import check_promises
from auto_benchmark.flows import inline


@pytest.fixture
def promoted(toy):
    """A project whose loop has promoted a configuration; (toy, its holder, the first holder)."""
    inline.scrape(toy.ctx)
    for _ in range(4):
        if "promote" in {e["outcome"] for e in inline.sweep(toy.ctx)["experiments"]}:
            break
    with toy.ctx.sessions() as session:
        newest, *_, first = production.history(session=session, project=toy.ctx.project)
    assert newest.candidate.decision_id is not None and first.candidate.decision_id is None
    return toy, newest, first


def scored(ctx, holder, score):
    """The board's answer to a submission of ``holder``."""
    with ctx.sessions.begin() as session:
        handed_in, _ = submissions.enqueue(
            session=session, project=ctx.project, board="ToyBoard", production_config_id=holder.id, payload={}
        )
        submissions.set_state(session=session, submission_id=handed_in.id, state="accepted", score=score)


def now_held(ctx):
    with ctx.sessions() as session:
        return production.current(session=session, project=ctx.project)


def told(ctx):
    with ctx.sessions() as session:
        return records.logged(session=session, project=ctx.project, kind="broken_promise")


def test_a_score_within_noise_of_the_promise_is_kept(promoted):
    toy, holder, _ = promoted
    assert check_promises(toy.ctx) == [], "nothing was handed in yet"
    scored(toy.ctx, holder, holder.candidate.scores["ToyBoard"] - 0.01)
    assert check_promises(toy.ctx) == [] and told(toy.ctx) == []


def test_a_broken_promise_is_told_once_and_kept_while_it_is_our_best(promoted):
    toy, holder, first = promoted
    scored(toy.ctx, first, 0.55)
    scored(toy.ctx, holder, holder.candidate.scores["ToyBoard"] - 0.2)
    (promise,) = check_promises(toy.ctx)
    assert (promise["board"], promise["action"]) == ("ToyBoard", "kept")
    assert promise["promised"] - promise["scored"] == pytest.approx(0.2)
    assert now_held(toy.ctx).id == holder.id
    (entry,) = told(toy.ctx)
    assert "missing; kept" in entry.reason and f"[ALERT] {entry.reason}" in toy.said
    assert check_promises(toy.ctx) == []


def test_a_broken_promise_is_rolled_back_where_an_earlier_configuration_scored_better(promoted):
    toy, holder, first = promoted
    broken = holder.candidate.scores["ToyBoard"] - 0.2
    scored(toy.ctx, first, broken + 0.05)
    scored(toy.ctx, holder, broken)
    (promise,) = check_promises(toy.ctx)
    assert promise["action"] == "rolled_back"
    assert now_held(toy.ctx).candidate.params == first.candidate.params
    assert check_promises(toy.ctx) == []
