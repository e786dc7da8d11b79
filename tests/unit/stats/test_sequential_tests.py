"""Level and power of the sequential tests on simulated truth."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from auto_benchmark.stats import group_sequential, sprt
from auto_benchmark.stats.looks import CAP, LOOKS, next_look
from auto_benchmark.stats.noise import guarded_variance

DESIGN = sprt.SequentialDesign()


def test_looks():
    assert LOOKS == (1, 3, 5, 8, 12)
    assert [next_look(n) for n in (0, 1, 2, 3, 7, 12, 20)] == [1, 3, 3, 5, 8, None, None]


@settings(deadline=None)
@given(
    estimate=st.floats(-5, 5),
    variance=st.floats(1e-3, 5),
    level=st.floats(1e-4, 0.2),
    seeds=st.sampled_from([3, 5, 8]),
)
def test_p_reaches_the_level_exactly_at_walds_boundary(estimate, variance, level, seeds):
    ratio = sprt.log_likelihood_ratio(estimate, variance, 1.75)
    boundary = math.log((1 - DESIGN.beta) / level)
    if abs(ratio - boundary) > 1e-9:
        assert (sprt.p_value(estimate, variance, 1.75, seeds, DESIGN) <= level) == (ratio >= boundary)


def test_one_seed_never_promotes():
    assert sprt.p_value(100.0, 0.1, 1.75, 1, DESIGN) == 1
    assert sprt.p_value(100.0, 0.1, 1.75, 2, DESIGN) == 1
    assert group_sequential.p_value(100.0, 9, 1) == 1


def test_extremes_stay_finite():
    for estimate in (-1e300, 1e300):
        assert 0 <= float(sprt.p_value(estimate, 1e-12, 1.75, CAP, DESIGN)) <= 1
        assert 0 <= group_sequential.p_value(estimate, 9, CAP) <= 1
    assert sprt.is_futile(-1e6, 1e-9, 1.75, DESIGN)


def test_estimates_have_canonical_covariance():
    """Cov(d_j, d_k) = Var(d_k) with a fixed control and item luck: what the information scale rests on."""
    rng = np.random.default_rng(3)
    scores, control = rng.standard_normal((200_000, 12)), rng.standard_normal((200_000, 10))
    luck = 0.5 * rng.standard_normal(200_000)
    d = {n: scores[:, :n].mean(axis=1) + luck - control.mean(axis=1) for n in (3, 12)}
    assert np.cov(d[3], d[12])[0, 1] == pytest.approx(1 / 12 + 1 / 10 + 0.25, abs=0.005)
    assert np.cov(d[3], d[12])[1, 1] == pytest.approx(1 / 12 + 1 / 10 + 0.25, abs=0.005)


@pytest.mark.parametrize("effect", [0.0, 2.0])
def test_group_sequential_level_and_power(effect):
    rng = np.random.default_rng(11)
    repetitions, control = 40_000, 6
    ours = rng.standard_normal((repetitions, CAP)) + effect
    theirs = rng.standard_normal((repetitions, control))
    promoted = np.zeros(repetitions, bool)
    for n in LOOKS[1:]:
        df = n + control - 2
        variance = (ours[:, :n].var(axis=1) * n + theirs.var(axis=1) * control) / df
        t = (ours[:, :n].mean(axis=1) - theirs.mean(axis=1)) / np.sqrt(variance * (1 / n + 1 / control))
        promoted |= group_sequential.scaled_statistic(t, df, n) >= group_sequential.boundary(0.025)
    if effect:
        assert promoted.mean() > 0.9
    else:
        assert promoted.mean() == pytest.approx(0.025, abs=0.003)


@pytest.mark.parametrize("level", [0.05, 0.025, 0.01, 0.0033])
def test_group_sequential_p_and_boundary_agree(level):
    constant = group_sequential.boundary(level)
    z = constant * math.sqrt(CAP / 5)
    t = float(stats.t.isf(stats.norm.sf(z), 8))
    assert group_sequential.p_value(t, 8, 5) == pytest.approx(level, rel=1e-6)


def test_guard_takes_the_larger_variance():
    assert guarded_variance(4.0, 1.0, 3) == 4.0
    assert guarded_variance(4.0, 8.0, 3) == 12.0
    assert guarded_variance(4.0, 8.0, 3, widen=False) == 8.0
    assert guarded_variance(4.0, 0.0, 1) == 4.0


def test_item_noise_raises_the_alternative_to_what_can_be_seen():
    assert DESIGN.effect(1.0, 10) == pytest.approx(1.75)
    assert DESIGN.effect(1.0, 10, threshold=3.0) == 3.0
    assert DESIGN.effect(1.0, 10, item_variance=3.1) == pytest.approx(
        2.8016 * math.sqrt(3.1 + 1 / 12 + 0.1), rel=1e-4
    )
