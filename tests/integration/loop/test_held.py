"""A gate score that the search split does not let expect waits for a person; the search never sees the gate's."""

from dataclasses import replace
from statistics import fmean

import pytest
from sqlalchemy import text
from tests.integration.loop.test_gate_items import BETTER, judged, queue

from auto_benchmark.boards.standing import focus, search_focus
from auto_benchmark.contract.trial import Stage, config_hash
from auto_benchmark.db.repositories import experiments, observations, production, records
from auto_benchmark.experiments.gate import rounds as work
from auto_benchmark.experiments.gate.unlikely import expected
from auto_benchmark.experiments.outcome.promotion import finish, plan_confirmation
from auto_benchmark.experiments.search.gain import search_gain
from auto_benchmark.experiments.search.history import history
from auto_benchmark.experiments.search.rounds import plan_search
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.flows import inline
from auto_benchmark.project.current_config import base_config, production_config
from auto_benchmark.stats.looks import LOOKS
from auto_benchmark.telling import approvals

SAID = """
    UPDATE auto_benchmark.metric_values AS v SET value = :value
    FROM auto_benchmark.trials AS t, auto_benchmark.experiments AS e
    WHERE t.id = v.trial_id AND e.id = t.experiment_id AND v.name = 'accuracy' AND v.slice = '' AND e.hypothesis_id = :of
      AND t.purpose = :purpose
"""


def scored(ctx, hypothesis, **values):
    with ctx.sessions.begin() as session:
        for purpose, value in values.items():
            session.execute(text(SAID), {"value": value, "of": hypothesis, "purpose": purpose})


def lost(ctx, patch, *, search, gate):
    """A hypothesis of before that the gate refused, with scores on both splits."""
    hypothesis = queue(ctx, patch)
    work.claim(ctx, "owner", hypothesis_id=hypothesis)
    judged(ctx, hypothesis, look=0)
    scored(ctx, hypothesis, validation=search, candidate=gate)
    with ctx.sessions.begin() as session:
        experiment = work.experiment_of(ctx, session, hypothesis)
        experiments.finish(session=session, experiment_id=experiment.id, outcome="reject", reason="no gain")


def winner(ctx, *, search):
    """A hypothesis that the gate promotes; its score in fast validation is ``search``."""
    hypothesis = queue(ctx, BETTER)
    work.claim(ctx, "owner", hypothesis_id=hypothesis)
    assert judged(ctx, hypothesis)["verdict"] == "promote"
    scored(ctx, hypothesis, validation=search)
    run_trials(ctx, plan_confirmation(ctx, hypothesis))
    return hypothesis


def with_pairs(ctx):
    """Five pairs near one line: gate = search, give or take one point."""
    inline.scrape(ctx)
    for number, off in enumerate((0.01, -0.01, 0.008, -0.012, 0.004)):
        at = 0.5 + number / 50
        lost(ctx, {"reads": 1, "offset": 0.1 + number / 10}, search=at, gate=at + off)


def test_a_score_that_nothing_on_the_search_split_explains_is_held_for_a_person(toy):
    ctx = toy.ctx
    with_pairs(ctx)
    hypothesis = winner(ctx, search=0.52)
    assert finish(ctx, hypothesis)["outcome"] == "waits_for_approval"
    with ctx.sessions() as session:
        (asked,) = records.open_escalations(session=session, project=ctx.project)
    assert "outside the 99.9 % prediction interval" in asked.brief and "5 earlier pairs" in asked.brief
    assert approvals.approve(ctx, hypothesis, by="ann")["approved"]
    with ctx.sessions() as session:
        assert base_config(ctx, session).candidate.hypothesis_id == hypothesis


def test_a_score_as_good_as_on_the_search_split_is_promoted(toy):
    ctx = toy.ctx
    with_pairs(ctx)
    hypothesis = winner(ctx, search=0.95)
    with ctx.sessions() as session:
        compared = expected(ctx, session, work.experiment_of(ctx, session, hypothesis), "accuracy")
    assert compared.pairs == 5 and not compared.is_unlikely, compared.sentence
    assert finish(ctx, hypothesis)["outcome"] == "promote"


def test_too_few_pairs_hold_nothing_and_it_is_said(toy):
    ctx = toy.ctx
    inline.scrape(ctx)
    lost(ctx, {"reads": 1}, search=0.6, gate=0.6)
    hypothesis = winner(ctx, search=0.1)
    assert finish(ctx, hypothesis)["outcome"] == "promote"
    assert any("is not checked yet: 1 earlier hypotheses have both scores" in line for line in toy.said)


@pytest.mark.parametrize("listed", [True, False])
def test_what_the_search_goes_by_does_not_change_with_the_gates_scores(toy, listed):
    ctx = toy.ctx
    if not listed:
        toy.board.write_text("system,accuracy\nLeader,0.90\nLast,0.50\n")
    inline.scrape(ctx)
    hypothesis = queue(ctx, BETTER)
    work.claim(ctx, "owner", hypothesis_id=hypothesis)
    judged(ctx, hypothesis)

    def known():
        with ctx.sessions() as session:
            experiment = work.experiment_of(ctx, session, hypothesis)
            gain = search_gain(ctx, session, experiment.id, "ToyBoard")
            aim = search_focus(ctx, session)
            return gain, history(ctx, session, aim), aim

    before = known()
    assert before[0] > 0
    with ctx.sessions.begin() as session:
        session.execute(
            text(
                "UPDATE auto_benchmark.metric_values SET value = 0.01 WHERE trial_id IN "
                "(SELECT id FROM auto_benchmark.trials WHERE stage = 'full')"
            )
        )
        session.execute(text("DELETE FROM auto_benchmark.promotion_decisions"))
    assert known() == before
    scored(ctx, hypothesis, validation=0.2)
    assert known()[0] < before[0]


def test_where_a_board_does_not_list_us_the_search_goes_by_the_search_split(toy):
    toy.board.write_text("system,accuracy\nLeader,0.90\nLast,0.50\n")
    ctx = toy.ctx
    inline.scrape(ctx)
    with ctx.sessions.begin() as session:
        before = production_config(ctx, session).candidate
        params = ctx.bench.solution.solution.configured({**before.params, **BETTER})
        production.promote(
            session=session, project=ctx.project, candidate=replace(before, params=params, scores={"ToyBoard": 0.96})
        )
        assert focus(ctx, session).our_score == 0.96
        assert search_focus(ctx, session).our_score is None
    run_trials(ctx, plan_search(ctx, 0))
    with ctx.sessions() as session:
        base = observations.of_config(
            session=session, project=ctx.project, stage=Stage.FAST, purposes=["search"],
            config_hash=config_hash("toy", params, ctx.bench.ref),
        )  # fmt: skip
        wanted = fmean(found.observation.metrics["accuracy"] for found in base)
        assert search_focus(ctx, session).our_score == pytest.approx(wanted, abs=1e-6) != 0.96
        assert focus(ctx, session).our_score == 0.96


STARVED = """
    UPDATE auto_benchmark.metric_values AS v SET value = 1000 FROM auto_benchmark.trials AS t
    WHERE t.id = v.trial_id AND v.name = 'cpu_at_most_s' AND t.purpose = 'candidate'
"""


def test_a_winner_whose_cost_the_busy_machine_hid_is_held_for_a_person(toy):
    """Every look measures it again; at the cap of seeds a person sees what is known, and may let it pass."""
    ctx = toy.ctx
    inline.scrape(ctx)
    hypothesis = queue(ctx, BETTER)
    work.claim(ctx, "owner", hypothesis_id=hypothesis)
    run_trials(ctx, work.plan_validation(ctx, hypothesis))
    for look in range(len(LOOKS)):
        run_trials(ctx, work.plan_round(ctx, hypothesis, look))
        with ctx.sessions.begin() as session:
            assert session.execute(text(STARVED)).rowcount == LOOKS[look]
        verdict = work.decide(ctx, hypothesis, look)["verdict"]
    assert verdict == "inconclusive"
    run_trials(ctx, plan_confirmation(ctx, hypothesis))
    assert finish(ctx, hypothesis)["outcome"] == "waits_for_approval"
    with ctx.sessions() as session:
        (asked,) = records.open_escalations(session=session, project=ctx.project)
    assert "its cost could not be measured" in asked.brief and "cpu_s is not established" in asked.brief
    assert approvals.approve(ctx, hypothesis, by="ann")["approved"]
    with ctx.sessions() as session:
        assert production_config(ctx, session).candidate.hypothesis_id == hypothesis
        assert work.experiment_of(ctx, session, hypothesis).outcome == "promote"
