"""A challenger is promoted when the board comes within its reach: nothing better has to be found for that."""

from __future__ import annotations

import pytest

from auto_benchmark.db.repositories import hypotheses, production, records
from auto_benchmark.experiments.gate.rounds import experiment_of
from auto_benchmark.experiments.outcome import reach
from auto_benchmark.experiments.outcome.reach import promote_within_reach
from auto_benchmark.flows import inline
from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus, Implementation, Urgency
from auto_benchmark.kinds import Outcome
from auto_benchmark.promotion.production import Role
from auto_benchmark.registry.technique_catalog import Effort
from auto_benchmark.telling.approvals import reject

OUT_OF_REACH = "system,accuracy\nLeader,0.999\nOurs,0.61\nLast,0.50\n"
FALLEN = OUT_OF_REACH.replace("Leader,0.999", "Leader,0.90")


@pytest.fixture
def challenged(toy):
    """The toy project with a challenger that is far better than production and behind the board's leader."""
    toy.board.write_text(OUT_OF_REACH)
    inline.scrape(toy.ctx)
    change = Implementation(
        change="Read all digits", effort=Effort.LOW, estimated_gain=0.2, base=toy.ctx.bench.solution.solution.defaults,
        patch={"reads": 6, "flip": 0.03, "offset": 0.0},
    )  # fmt: skip
    wanted = Hypothesis(
        id="H-000", title=change.change, claim="ToyBoard accuracy rises", source="a test",
        target_leaderboards=["ToyBoard"], implementation=change, priority_score=90.0, urgency=Urgency.NORMAL,
        config_hash="1" * 64,
    )  # fmt: skip
    with toy.ctx.sessions.begin() as session:
        hypotheses.add(session=session, project=toy.ctx.project, hypothesis=wanted)
    (ended,) = inline.sweep(toy.ctx, run_id="first")["experiments"]
    assert ended["outcome"] == "challenger", "\n".join(toy.said)
    return toy, ended["hypothesis_id"]


def held(ctx, role):
    with ctx.sessions() as session:
        found = production.current(session=session, project=ctx.project, role=role)
    return found.candidate.hypothesis_id if found else None


def fall(toy):
    toy.board.write_text(FALLEN)
    inline.scrape(toy.ctx)


def test_a_person_is_asked_once_where_a_person_decides(challenged):
    toy, key = challenged
    ctx = toy.scheduled(automation={"promotion": "approve"})
    fall(toy)
    assert promote_within_reach(ctx)["outcome"] == "waits_for_approval"
    assert promote_within_reach(ctx) is None
    assert held(ctx, Role.CHALLENGER) == key, "what is tried meanwhile still starts from it"
    reject(ctx, key, by="a test", reason="not this week")
    assert promote_within_reach(ctx) is None, "what a person has rejected is not asked again"


def test_one_that_was_killed_before_its_end_is_finished_by_the_next(challenged, monkeypatch):
    toy, key = challenged
    ctx = toy.ctx
    assert promote_within_reach(ctx) is None, "the board has not moved"
    fall(toy)

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(reach, "finish", killed)
        promote_within_reach(ctx)
    assert held(ctx, Role.PRODUCTION) != key
    assert promote_within_reach(ctx)["outcome"] == "promote"
    with ctx.sessions() as session:
        assert experiment_of(ctx, session, key).outcome is Outcome.PROMOTE
        hypothesis = hypotheses.get(session=session, project=ctx.project, hypothesis_id=key)
    assert hypothesis.status is HypothesisStatus.PROMOTED
    assert (held(ctx, Role.PRODUCTION), held(ctx, Role.CHALLENGER)) == (key, None)
    assert promote_within_reach(ctx) is None, "once"


def test_a_sweep_promotes_it_before_it_searches_and_asks_to_hand_it_in(challenged):
    toy, key = challenged
    ctx = toy.ctx
    fall(toy)
    toy.said.clear()
    inline.sweep(ctx, run_id="second")
    said = [line for line in toy.said if "now projected to reach #1" in line or "search " in line]
    assert said and "now projected to reach #1 on ToyBoard" in said[0], toy.said[:5]
    with ctx.sessions() as session:
        configs = production.history(session=session, project=ctx.project)
        (asked,) = records.open_escalations(session=session, project=ctx.project)  # and for no other architecture
    assert key in {config.candidate.hypothesis_id for config in configs}
    assert asked.title == "Hand production in to ToyBoard"
    assert "\n1. Hand in as the board asks: " in asked.brief, "not as a file of rows asks"
