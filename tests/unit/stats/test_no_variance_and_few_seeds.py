"""The hazard of the t test without variance and with few seeds, and its whole kind: no NaN, no infinity, no p = 0."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.effect_size import cohen_d, cohen_dz
from auto_benchmark.stats.high_variance import relative_spread
from auto_benchmark.stats.intervals import bca_interval, rate_interval, t_interval, welch_interval, wilson_interval
from auto_benchmark.stats.mcnemar import mcnemar
from auto_benchmark.stats.noise import pooled
from auto_benchmark.stats.non_inferiority import non_inferiority
from auto_benchmark.stats.paired import NoVarianceError, attainable_p, join, paired_t, sign_flip, wilcoxon

TESTS = [paired_t, sign_flip, wilcoxon]


@pytest.mark.parametrize("test", TESTS)
def test_identical_scores_are_no_change(test):
    pairs = join(dict.fromkeys(range(5), 0.71), dict.fromkeys(range(5), 0.71))
    with pytest.raises(NoVarianceError, match="no change") as caught:
        test(pairs.differences, scale=pairs.scale)
    assert caught.value.difference == 0


@pytest.mark.parametrize("test", TESTS)
def test_a_constant_shift_is_reported_without_a_p(test):
    ours = {1: 4.33, 2: 4.39}
    theirs = {1: 4.28, 2: 4.34}
    pairs = join(ours, theirs)
    with pytest.raises(NoVarianceError, match=r"differs by \+0.05") as caught:
        test(pairs.differences, scale=pairs.scale, minimum=2)
    assert caught.value.difference == pytest.approx(0.05)


@pytest.mark.parametrize("test", TESTS)
@settings(deadline=None)
@given(base=st.floats(1e-3, 1e6), shift=st.floats(-1e3, 1e3), n=st.integers(5, 9))
def test_rounding_never_becomes_variance(test, base, shift, n):
    theirs = {seed: base * (1 + seed / 7) for seed in range(n)}
    ours = {seed: value + shift for seed, value in theirs.items()}
    pairs = join(ours, theirs)
    with pytest.raises(NoVarianceError):
        test(pairs.differences, scale=pairs.scale)


def test_pairs_are_joined_by_seed():
    pairs = join({1: 0.72, 3: 0.70, 4: 0.73}, {1: 0.70, 2: 0.71, 3: 0.69})
    assert pairs.seeds == (1, 3)
    assert pairs.differences == pytest.approx([0.02, 0.01])
    assert (pairs.unmatched, pairs.dropped) == (2, 0)
    with pytest.raises(NotApplicableError, match="2 given, at least 5 needed"):
        paired_t(pairs.differences, scale=pairs.scale)


def test_scores_that_are_not_finite_drop_their_pair():
    pairs = join({1: 1.0, 2: math.nan, 3: 2.0}, {1: 0.5, 2: 0.5, 3: math.inf})
    assert pairs.seeds == (1,)
    assert pairs.dropped == 2


@pytest.mark.parametrize(("pairs", "p"), [(3, 0.25), (4, 0.125), (5, 0.0625), (6, 0.03125)])
def test_smallest_attainable_p(pairs, p):
    assert attainable_p(pairs) == p
    d = np.arange(1.0, pairs + 1)
    assert sign_flip(d, minimum=3).p == p == sign_flip(d, minimum=3).attainable
    assert wilcoxon(d, minimum=3).p == p


@settings(deadline=None)
@example([0.0, 0.0, 0.0, 0.0, 7e-196])
@example([1e200, -1e200, 1e199, 0.0, 3.0])
@given(st.lists(st.floats(-1e6, 1e6), min_size=5, max_size=12))
def test_every_p_is_a_probability_or_refused(d):
    for test in TESTS:
        try:
            result = test(d)
        except NotApplicableError:
            continue
        assert 0 <= result.p <= 1
        assert math.isfinite(result.statistic)
        assert result.p >= result.attainable - 1e-12


@pytest.mark.parametrize(
    "call",
    [
        lambda: t_interval([0.7]),
        lambda: t_interval([0.7, 0.7, 0.7]),
        lambda: t_interval([0.7, math.nan]),
        lambda: welch_interval([1, 1], [2, 2]),
        lambda: bca_interval([1, 2, 3]),
        lambda: bca_interval([1.0] * 9),
        lambda: rate_interval(0, 0),
        lambda: wilson_interval(0, 0),
        lambda: wilson_interval(3, 2),
        lambda: cohen_d([1, 1], [2, 2]),
        lambda: cohen_dz([0.1, 0.1, 0.1]),
        lambda: pooled([[1.0], [2.0]]),
        lambda: relative_spread([-1.0, 1.0]),
        lambda: relative_spread([0.0, 0.0]),
        lambda: non_inferiority([1.0], [1.0], margin=0.1, higher_is_better=True),
        lambda: mcnemar({"a": 1}, {"a": 1}),
        lambda: mcnemar({"a": 0.5}, {"a": 1}),
        lambda: mcnemar({"a": 1}, {"b": 1}),
    ],
)
def test_what_does_not_apply_says_so(call):
    with pytest.raises(NotApplicableError) as caught:
        call()
    assert len(str(caught.value)) > 10


def test_zero_width_is_never_certainty():
    """Equal values on both sides of a guard give the point, not a test."""
    same = non_inferiority([5.0, 5.0], [5.0, 5.0], margin=0.5, higher_is_better=False)
    assert (same.worse, same.upper, same.shown) == (0.0, 0.0, True)
