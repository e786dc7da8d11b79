"""The interval of a new observation: a textbook's numbers, the share that falls in, and what gives none."""

import numpy as np
import pytest

from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.prediction import offset_interval, prediction_interval

AGE = [15.5, 23.75, 8, 17, 5.5, 19, 24, 2.5, 7.5, 11, 13, 3.75, 25, 9.75, 22, 18, 6, 12.5, 2, 21.5]
STRENGTH = [
    2158.7, 1678.15, 2316, 2061.3, 2207.5, 1708.3, 1784.7, 2575, 2357.9, 2256.7, 2165.2, 2399.55, 1779.8, 2336.75,
    1765.3, 2053.5, 2414.4, 2200.5, 2654.2, 1753.7,
]  # fmt: skip


def test_the_rocket_propellant_of_the_textbook():
    """Montgomery, Peck & Vining, example 2.7: 2048.32 to 2464.32 at ten weeks, with their rounding."""
    assert prediction_interval(AGE, STRENGTH, 10) == pytest.approx((2048.32, 2464.32), abs=0.2)


def test_the_share_that_falls_in_is_the_level():
    rng, inside = np.random.default_rng(7), 0
    for _ in range(4000):
        x = rng.normal(size=8)
        y = 0.3 + 0.5 * x + rng.normal(size=8)
        low, high = prediction_interval(x[:7], y[:7], float(x[7]), 0.9)
        inside += low <= y[7] <= high
    assert inside / 4000 == pytest.approx(0.9, abs=0.016)


def test_the_interval_widens_with_the_level_and_away_from_the_centre():
    def width(at, level):
        low, high = prediction_interval(AGE, STRENGTH, at, level)
        return high - low

    assert width(13.4, 0.95) < width(30, 0.95) < width(30, 0.999)


@pytest.mark.parametrize(
    ("x", "y", "at"),
    [
        ([1, 2], [1, 2.5], 1), ([1, 1, 1], [1, 2, 3], 1), ([1, 2, 3], [2, 4, 6], 1), ([1, 2, 3], [1, 2], 1),
        ([1, 2, 3], [1, 2, float("nan")], 1), ([1, 2, 3], [1, 2, 4], float("inf")),
    ],
)  # fmt: skip
def test_what_gives_no_interval_says_so(x, y, at):
    with pytest.raises(NotApplicableError):
        prediction_interval(x, y, at)


def test_the_share_that_falls_in_is_the_level_where_y_is_x_but_for_an_offset():
    rng, inside = np.random.default_rng(8), 0
    for _ in range(4000):
        x = rng.normal(size=8)
        y = x - 0.2 + 0.1 * rng.normal(size=8)
        low, high = offset_interval(x[:7], y[:7], float(x[7]), 0.9)
        inside += low <= y[7] <= high
    assert inside / 4000 == pytest.approx(0.9, abs=0.016)


def test_a_real_leap_far_from_the_pairs_is_expected_by_the_offset_and_not_by_the_line():
    rng = np.random.default_rng(9)
    truth = 0.6 + 0.002 * rng.normal(size=20)
    search, gate = (truth + 0.01 * rng.normal(size=20) for _ in range(2))
    low, high = offset_interval(search, gate, 0.96, 0.999)
    assert low < 0.96 < high and high - low < 0.2
    assert prediction_interval(search, gate, 0.96, 0.999)[1] < 0.96
    assert offset_interval(search, gate, 0.6, 0.999)[1] < 0.9, "a score that search does not explain stays unlikely"


@pytest.mark.parametrize(("x", "y", "at"), [([1, 2], [1, 3], 1), ([1, 2, 3], [2, 3, 4], 1), ([1, 2, 3], [1, 2], 1)])
def test_what_gives_no_offset_says_so(x, y, at):
    with pytest.raises(NotApplicableError):
        offset_interval(x, y, at)
