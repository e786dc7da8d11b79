"""What a claim is worth by its source, and what that does to the queue."""

import pytest

from auto_benchmark.hypotheses.hypothesis import Hypothesis, Implementation, Urgency
from auto_benchmark.hypotheses.origin import Origin, origin_in
from auto_benchmark.hypotheses.queue import ranked, why_there
from auto_benchmark.hypotheses.search.proposals import source_of
from auto_benchmark.hypotheses.source_prior import LEAST, UNKNOWN, JudgedClaim, priors, worth_of
from auto_benchmark.hypotheses.strategy import Strategy
from auto_benchmark.registry.technique_catalog import Effort

BOASTER = "agent:llm:LAB"


@pytest.mark.parametrize(
    ("source", "origin"),
    [
        ("agent llm:LAB", BOASTER), ("arXiv:2601.00001 + gap analysis (gap to #1 = 0.01)", "paper"),
        ("report:Rival + gap analysis (gap to #1 = 0.01)", "competitor"),
        (source_of(Strategy.FINE, 0.1), "search"), ("person", "person"), ("folder", "person"), ("Ada", "person"),
    ],
)  # fmt: skip
def test_rows_from_before_an_origin_was_kept_are_read_by_their_words(source, origin):
    assert origin_in(source) == origin


def test_a_source_that_keeps_its_word_is_worth_more_than_one_that_does_not():
    assert {p.source: p.worth for p in priors([])} == dict.fromkeys(Origin, UNKNOWN)
    honest = [JudgedClaim("person", 0.02, 0.02, promoted=True)] * 8
    boastful = [JudgedClaim(BOASTER, 0.1, -0.01, promoted=False)] * 8
    found = {p.source: p for p in priors([*honest, *boastful])}
    assert LEAST < found[BOASTER].worth < found["search"].worth < found["person"].worth < 1
    assert (found["person"].judged, found["person"].promoted, found[BOASTER].promoted) == (8, 8, 0)
    assert found["person"].measured == pytest.approx(0.16)


def test_an_agent_that_is_new_counts_as_all_do_and_not_as_the_one_that_boasts():
    found = priors([JudgedClaim(BOASTER, 0.1, -0.1, promoted=False)] * 40)
    assert worth_of(BOASTER, found) == LEAST
    assert worth_of("agent:command:other", found) == worth_of("agent", found) > LEAST


def test_one_claim_of_nothing_and_one_absurd_ratio_move_little():
    found = {
        p.source: p.worth
        for p in priors([JudgedClaim("person", 0.0, 0.3, True), JudgedClaim("person", 1e-9, 0.3, True)])
    }
    assert UNKNOWN < found["person"] < 1.5


def test_worth_scales_the_priority_and_the_row_alone_says_how():
    change = Implementation(change="x", effort=Effort.MEDIUM, estimated_gain=0.02)
    claimed = Hypothesis(
        id="H-001", title="x", claim="x", source="agent llm:LAB", origin=BOASTER, target_leaderboards=["A"],
        implementation=change, priority_score=10.0, config_hash="c",
    )  # fmt: skip
    weighed = ranked(claimed, worth=0.25)
    assert (weighed.priority_score, weighed.worth) == (2.5, 0.25)
    assert ranked(weighed, urgency=Urgency.URGENT).priority_score == 7.5
    assert why_there(weighed) == (
        "priority 2.5 = 1000 x 0.02 claimed x 0.25 (what claims of agent:llm:LAB are worth) / 2 (Medium effort) "
        "x 1 (normal)"
    )
