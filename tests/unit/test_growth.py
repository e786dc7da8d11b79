"""The test of growth tells linear work from work that grows with the square."""

import pytest
from tests import growth
from tests.growth import assert_costs_at_most, assert_grows_linearly


def linear(size: int) -> int:
    return sum(range(200 * size))


def square(size: int) -> int:
    return sum(range(size * size))


def test_linear_work_passes():
    assert_grows_linearly(linear, 20_000)


def test_work_that_grows_with_the_square_does_not(monkeypatch):
    monkeypatch.setattr(growth, "ROUNDS", 2)
    with pytest.raises(AssertionError, match="and 8 times is allowed"):
        assert_grows_linearly(square, 2_500)


def test_what_costs_next_to_nothing_passes():
    assert_grows_linearly(square, 40)


def test_more_than_the_allowed_ratio_does_not():
    with pytest.raises(AssertionError, match="and 2 times is allowed"):
        assert_costs_at_most(2, lambda: linear(1_000), than=lambda: linear(100))
