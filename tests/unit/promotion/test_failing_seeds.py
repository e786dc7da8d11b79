"""Seeds that failed count: a configuration is not judged by its lucky seeds alone, nor by the lucky ones of a test."""

import pytest
from tests.unit.promotion.evidence import GOOD, evidence, row, trials

from auto_benchmark.errors import InputError
from auto_benchmark.promotion.confirmation import refuted
from auto_benchmark.promotion.gate import decide
from auto_benchmark.promotion.replay import decision_json, replay
from auto_benchmark.promotion.schema import Failures, Verdict

NONE = Failures(seeds=3, failed=0)


def failing(seeds, failed, of=10, theirs=0, scores=GOOD):
    return evidence(
        scores,
        candidate_failures=Failures(seeds=seeds, failed=failed),
        control_failures=Failures(seeds=of, failed=theirs),
    )


def test_without_failures_nothing_changes():
    assert decision_json(decide(failing(3, 0))) == decision_json(decide(evidence(GOOD)))
    assert decide(evidence(GOOD)).verdict is Verdict.PROMOTE


def test_a_failed_seed_of_a_control_that_never_fails_refuses_for_good():
    decision = decide(failing(4, 1))
    assert decision.verdict is Verdict.REJECT
    found = row(decision, "reproducibility")
    assert (found.passed, found.value, found.threshold) == (False, 0.25, 0.0)
    assert found.reason.startswith("1 of 4 seeds failed, 0 of 10 of production's")


def test_no_larger_share_than_production_s_is_allowed():
    assert decide(failing(10, 1, of=10, theirs=1)).verdict is Verdict.PROMOTE
    more = decide(failing(4, 1, of=10, theirs=1))
    assert more.verdict is Verdict.INCONCLUSIVE, "further seeds may show the same share"
    assert not row(more, "reproducibility").passed


def test_failures_are_stored_with_the_evidence_and_replay():
    given = failing(4, 1)
    assert replay(given.model_dump_json(), decision_json(decide(given))) == []


def test_fresh_seeds_that_are_as_good_bear_a_promotion_out():
    assert refuted(evidence(GOOD), trials([0.834, 0.838, 0.836], 500), NONE) is None


@pytest.mark.parametrize(
    ("scores", "why"),
    [([0.82, 0.818, 0.819], "3 fresh seeds are no better than the control"),
     ([0.829, 0.831, 0.828], None),
     ([0.95, 0.835, 0.72], "with 3 fresh seeds reproducibility fails")],
)  # fmt: skip
def test_fresh_seeds_that_contradict_take_it_back(scores, why):
    told = refuted(evidence(GOOD), trials(scores, 500), NONE)
    assert told is None if why is None else told.startswith(why)


def test_fresh_seeds_that_leave_less_than_the_threshold_take_it_back():
    told = refuted(evidence([0.827, 0.8275, 0.827]), trials([0.8205, 0.8208, 0.8206], 500), NONE)
    assert told.startswith("with 3 fresh seeds improvement fails")


def test_fresh_seeds_that_fail_take_it_back_unless_production_s_do():
    good = trials([0.834, 0.838, 0.836], 500)
    assert refuted(failing(3, 0), good, Failures(seeds=4, failed=1)).startswith("of the fresh seeds: 1 of 4 seeds")
    assert refuted(failing(3, 0, of=4, theirs=1), good, Failures(seeds=4, failed=1)) is None


def test_too_few_fresh_seeds_tell_nothing():
    with pytest.raises(InputError, match="2 of at least 3 fresh seeds have a score"):
        refuted(evidence(GOOD), trials([0.9, 0.9], 500), Failures(seeds=2, failed=0))
