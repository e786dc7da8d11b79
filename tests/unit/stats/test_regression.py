"""Regression of production: quiet trials stay quiet, a real loss rings."""

import numpy as np
import pytest

from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.noise import PooledNoise
from auto_benchmark.stats.regression import cusum, regression_sprt

NOISE = PooledNoise(1.0, 30)


def test_cusum_by_hand():
    found = cusum([0.0, -2.0, -2.0, -2.0, -2.0], baseline=0.0, noise=NOISE)
    assert found.statistic == pytest.approx(6.0)
    assert (found.alarm_at, found.since) == (4, 1)


def test_direction():
    worse = np.array([2.0] * 6)
    assert cusum(worse, baseline=0.0, noise=NOISE, higher_is_better=False).alarm_at is not None
    assert cusum(worse, baseline=0.0, noise=NOISE, higher_is_better=True).statistic == 0


def test_average_run_length_of_the_published_table():
    """Allowance .5, limit 4.77: about 740 quiet trials to a false alarm (one side), 9.9 after a loss of 1 sd."""
    rng = np.random.default_rng(1)

    def length(shift, longest, repetitions):
        runs = []
        for _ in range(repetitions):
            found = cusum(rng.normal(shift, 1, longest), baseline=0.0, noise=NOISE)
            runs.append(longest if found.alarm_at is None else found.alarm_at + 1)
        return np.mean(runs)

    assert length(0.0, 4000, 250) == pytest.approx(740, rel=0.15)
    assert length(-1.0, 100, 1500) == pytest.approx(9.9, abs=1.0)


@pytest.mark.parametrize(("shift", "expected"), [(0.0, "steady"), (-1.5, "regressed")])
def test_sprt_errors_stay_near_their_levels(shift, expected):
    rng = np.random.default_rng(6)
    outcomes = [regression_sprt(rng.normal(shift, 1, 60), baseline=0.0, noise=NOISE, loss=1.5) for _ in range(500)]
    assert outcomes.count(expected) / 500 > 0.9
    if shift == 0:
        assert outcomes.count("regressed") / 500 <= 0.02


def test_unknown_noise_is_refused():
    with pytest.raises(NotApplicableError):
        cusum([1.0], baseline=0.0, noise=PooledNoise(1.0, 5))
    with pytest.raises(NotApplicableError):
        regression_sprt([1.0], baseline=0.0, noise=NOISE, loss=0)
