"""What a claim is worth by its source."""

import pytest

from auto_benchmark.hypotheses.search.proposals import source_of
from auto_benchmark.hypotheses.source_prior import Judged, Origin, origin_of, priors
from auto_benchmark.hypotheses.strategy import Strategy
from auto_benchmark.research.discount import PRIOR


@pytest.mark.parametrize(
    ("source", "origin"),
    [
        ("agent llm:LAB", "agent"), ("arXiv:2601.00001 + gap analysis (gap to #1 = 0.01)", "paper"),
        (source_of(Strategy.FINE, 0.1), "search"), ("person", "person"), ("folder", "person"), ("Ada", "person"),
    ],
)  # fmt: skip
def test_the_loop_s_own_words_name_the_source(source, origin):
    assert origin_of(source) == origin


def test_a_source_that_keeps_its_word_is_worth_more_than_one_that_does_not():
    before = {p.source: p.worth for p in priors([])}
    assert before == dict.fromkeys(Origin, PRIOR)
    honest = [Judged("Ada", 0.02, 0.02, promoted=True)] * 8
    boastful = [Judged("agent llm:LAB", 0.1, -0.01, promoted=False)] * 8
    found = {p.source: p for p in priors([*honest, *boastful])}
    assert found["agent"].worth < found["search"].worth < found["person"].worth < 1
    assert found["agent"].worth >= 0
    assert (found["person"].judged, found["person"].promoted, found["agent"].promoted) == (8, 8, 0)
    assert found["person"].measured == pytest.approx(0.16)


def test_one_claim_of_nothing_and_one_absurd_ratio_move_little():
    found = {p.source: p.worth for p in priors([Judged("Ada", 0.0, 0.3, True), Judged("Ada", 1e-9, 0.3, True)])}
    assert PRIOR < found["person"] < 1
