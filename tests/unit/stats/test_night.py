"""What a night shows and promotes: the simulation against the gate itself, and its limits."""

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.promotion.evidence import evidence, row, trials

from auto_benchmark.promotion.gate import decide
from auto_benchmark.promotion.schema import Noise, Verdict
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.looks import LOOKS
from auto_benchmark.stats.simulation.night import Night, items_reaching, outlook
from auto_benchmark.stats.simulation.scenario import Effect

SD = 0.004
NIGHT = Night(sd=SD, threshold=0.005)
ITEMS = 0.05 / 4800
NOTHING = (Effect(1.0, 0.0, 0.0),)


def significant(rng, gain):
    """Whether the real gate ever finds a candidate with this true gain significant, look by look."""
    ours, theirs = rng.normal(0.82 + gain, SD, LOOKS[-1]), rng.normal(0.82, SD, NIGHT.control)
    for n in LOOKS:
        given = evidence(
            [], candidate=trials(list(ours[:n]), 100), control=trials(list(theirs)), noise=Noise(sd=SD, df=10_000),
            promotion_threshold=NIGHT.threshold,
        )  # fmt: skip
        decision = decide(given)
        if row(decision, "significance").passed:
            return True
        if decision.verdict is Verdict.FUTILE:
            return False
    return False


def test_the_gate_itself_finds_the_smallest_effect_as_often_as_simulated():
    """400 candidates: 80 % with a standard error of 2 %."""
    gain, rng = outlook(NIGHT).smallest_effect, np.random.default_rng(11)
    assert np.mean([significant(rng, gain) for _ in range(400)]) == pytest.approx(0.8, abs=0.06)


def test_a_gain_of_the_threshold_is_seen_as_often_as_said():
    rng = np.random.default_rng(12)
    seen = np.mean([significant(rng, NIGHT.threshold) for _ in range(400)])
    assert seen == pytest.approx(outlook(NIGHT).at_threshold, abs=0.075)


def test_items_that_are_too_few_hide_effects():
    few, many = (outlook(replace(NIGHT, item_variance=0.05 / n)) for n in (1000, 20_000))
    assert few.smallest_effect > 1.8 * many.smallest_effect > 1.8 * outlook(NIGHT).smallest_effect
    assert not few.reaches(0.02) and many.reaches(0.0125)


def test_a_night_promotes_more_with_more_hypotheses_and_nothing_without_trials():
    one, three = (outlook(replace(NIGHT, hypotheses=n)).promotes for n in (1, 3))
    assert 0 < one < three < 3 * one + 0.01
    assert outlook(replace(NIGHT, trials=NIGHT.before + 2)).promotes == 0
    assert outlook(replace(NIGHT, trials=NIGHT.before + 3)).promotes > 0


def test_hypotheses_without_effect_are_rarely_promoted():
    found = outlook(replace(NIGHT, effects=NOTHING, hypotheses=3))
    assert found.promotes <= 3 * NIGHT.alpha + 4 * found.error
    assert found.error < 0.005


def test_the_unit_of_the_metric_does_not_matter_and_a_night_is_the_same_twice():
    share = outlook(replace(NIGHT, item_variance=ITEMS))
    outlook.cache_clear()
    assert outlook(replace(NIGHT, item_variance=ITEMS)) == share
    percent = outlook(replace(NIGHT, sd=100 * SD, threshold=0.5, item_variance=1e4 * ITEMS))
    assert percent.smallest_effect == pytest.approx(100 * share.smallest_effect)
    assert percent.promotes == pytest.approx(share.promotes, abs=0.002)


def test_the_items_that_are_said_to_suffice_do():
    night = replace(NIGHT, threshold=0.01, item_variance=ITEMS)
    needed = items_reaching(night, 4800)
    assert needed > 4800
    enough = outlook(replace(night, item_variance=0.05 / needed))
    assert enough.at_threshold >= 0.79
    assert outlook(replace(night, item_variance=0.05 / (0.8 * needed))).at_threshold < 0.79


def test_where_seeds_alone_hide_the_threshold_no_items_help():
    assert items_reaching(replace(NIGHT, sd=0.02, item_variance=ITEMS), 4800) is None


@pytest.mark.parametrize("sd", [0.0, float("nan"), float("inf")])
def test_without_noise_there_is_no_test(sd):
    with pytest.raises(NotApplicableError, match="cannot test"):
        outlook(replace(NIGHT, sd=sd))
