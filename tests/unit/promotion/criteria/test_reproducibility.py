"""Criterion 4: the mission's 0.5 % where it can tell good from bad, a variance ratio where it cannot."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.unit.promotion.evidence import CONTROL, evidence, trials

from auto_benchmark.promotion.criteria.reproducibility import reproducibility
from auto_benchmark.promotion.measurement import measure
from auto_benchmark.promotion.schema import Noise

TIGHT = trials([0.82 + 0.0003 * i for i in (-2, -1, 0, 1, 2, 0, 1, -1, 2, -2)])
QUIET = {"control": TIGHT, "noise": Noise(sd=0.0005, df=30)}
NOISY = {"control": trials([0.5 + 0.02 * x for x in (-1.2, -0.5, 0, 0.4, 1.3, 0.1)]), "noise": Noise(sd=0.02, df=40)}


def found(scores, **changes):
    return reproducibility(measure(evidence(scores, **changes))).row


@pytest.mark.parametrize("scores", [[0.835], [0.835, 0.835]])
def test_fewer_than_three_seeds_never_pass(scores):
    row = found(scores)
    assert (row.name, row.value, row.threshold, row.passed) == ("reproducibility", None, 0.005, False)
    assert row.reason == f"{len(scores)} of at least 3 seeds"


def test_no_spread_at_all_passes():
    row = found([0.83, 0.83, 0.83])
    assert (row.value, row.passed) == (0.0, True)


def test_the_mission_s_rule_where_it_can_tell():
    row = found([0.835, 0.8351, 0.8352], **QUIET)
    assert (row.threshold, row.passed, row.value) == (0.005, True, pytest.approx(0.0001 / 0.8351))
    wild = found([0.82, 0.85, 0.88], **QUIET)
    assert (wild.passed, wild.threshold, wild.value) == (False, 0.005, pytest.approx(0.03 / 0.85))


@pytest.mark.parametrize(("share", "passed"), [(0.00499, True), (0.00501, False)])
def test_half_a_percent_is_the_limit(share, passed):
    """Three scores whose standard deviation is this share of their mean of 0.8."""
    assert found([0.8 * (1 - share), 0.8, 0.8 * (1 + share)], **QUIET).passed is passed


@pytest.mark.parametrize(("factor", "passed"), [(0.999, True), (1.001, False)])
def test_a_noisy_metric_is_measured_by_its_own_noise(factor, passed):
    limit = math.sqrt(stats.f.ppf(0.99, 2, 40))
    sd = factor * limit * 0.02
    row = found([0.6 - sd, 0.6, 0.6 + sd], **NOISY)
    assert (row.passed, row.threshold, row.value) == (passed, pytest.approx(limit), pytest.approx(factor * limit))
    assert "0.5 % of the mean says nothing" in row.reason


def test_without_a_noise_model_the_control_is_the_measure():
    """The candidate's own spread must not excuse itself."""
    row = found([0.70, 0.80, 0.90], noise=None)
    control = float(np.std(CONTROL, ddof=1))
    assert not row.passed
    assert row.value == pytest.approx(0.1 / control)
    assert row.threshold == pytest.approx(math.sqrt(stats.f.ppf(0.99, 2, 9)))


def test_around_zero_without_any_known_noise_it_fails():
    least = 1e-101  # its square vanishes, so it is no noise to compare with
    row = found([-least, 0.0, least], control=trials([0.0]), noise=None)
    assert (row.passed, row.value, row.threshold) == (False, None, 0.005)
    assert "around a mean of 0, where no other noise is known" in row.reason
