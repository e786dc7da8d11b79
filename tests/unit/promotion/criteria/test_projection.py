"""Criterion 5: the probability of reaching #1, with the offset that past submissions have shown."""

import math

import pytest
from scipy import stats
from tests.unit.promotion.evidence import GOOD, evidence, trials

from auto_benchmark.promotion.criteria.projection import projection
from auto_benchmark.promotion.measurement import measure
from auto_benchmark.promotion.offset import Offset

MEAN = sum(GOOD) / 3
SD = 0.004 / math.sqrt(3)
"""Of the candidate's mean: the known noise over three seeds, whose own spread is smaller."""


def found(leader, offset=None, **changes):
    given = evidence(GOOD, leader_score=leader, **changes)
    return projection(measure(given), given, offset).row


def test_without_a_leader_there_is_nothing_to_project_onto():
    row = found(None)
    assert (row.name, row.passed, row.value, row.reason) == ("projection", True, None, "no board to project onto")


@pytest.mark.parametrize("lead", [0.002, 0.004, -0.002, -0.004])
def test_the_value_is_the_probability_of_a_lead(lead):
    row = found(MEAN - lead)
    assert row.value == pytest.approx(stats.norm.cdf(lead / SD), rel=1e-9)
    assert (row.threshold, row.passed) == (0.5, lead > 0)


def test_reaching_number_one_counts():
    assert (found(MEAN).value, found(MEAN).passed) == (0.5, True)
    assert not found(MEAN + 1e-6).passed


def test_lower_is_better_turns_the_lead():
    for leader, passed in ((MEAN + 0.003, True), (MEAN - 0.003, False)):
        assert found(leader, higher_is_better=False).passed is passed


def test_one_submission_moves_the_expectation_alone():
    row = found(MEAN, Offset(mean=-0.002, sd=0.0, n=1))
    assert row.value == pytest.approx(stats.norm.cdf(-0.002 / SD))
    assert not row.passed
    assert "offset -0.002 learned from 1 submission)" in row.reason


def test_several_submissions_bring_their_own_spread():
    offset = Offset(mean=0.003, sd=0.002, n=4)
    row = found(MEAN, offset)
    sd = math.sqrt(SD**2 + 0.002**2 * (1 + 1 / 4))
    assert row.value == pytest.approx(stats.t.cdf(0.003 / sd, 3))
    assert row.passed


def test_without_any_noise_it_is_certain():
    exact = {"candidate": trials([0.84], 100), "control": trials([0.8]), "noise": None}
    assert [found(leader, **exact).value for leader in (0.83, 0.84, 0.85)] == [1.0, 0.5, 0.0]
