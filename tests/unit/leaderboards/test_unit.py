"""A board and the benchmark that stands for it are compared in one unit, declared or found."""

from __future__ import annotations

import pytest

from auto_benchmark.leaderboards.unit import Unit, declared_unit, mismatch, unit_factor
from auto_benchmark.registry.leaderboard import Leaderboard

PERCENT, SHARES = [97.9, 95.0, 61.0], [0.979, 0.95, 0.61]


@pytest.mark.parametrize(
    ("scores", "measured", "metric", "factor"),
    [
        (PERCENT, 0.97, "accuracy", 100.0),
        (PERCENT, 97.0, "accuracy", 1.0),
        (SHARES, 0.97, "accuracy", 1.0),
        (SHARES, 97.0, "accuracy", 0.01),
        (PERCENT, None, "accuracy", 100.0),
        (PERCENT, None, "reward", 1.0),
        ([1.0, 0.5, 0.0], 1.0, "accuracy", 1.0),
        ([], 0.5, "accuracy", 1.0),
        ([1250.0, 1100.0], 0.9, "elo", 1.0),
    ],
)
def test_the_unit_is_found(scores, measured, metric, factor):
    assert unit_factor(scores, measured, metric=metric) == factor


def test_a_loss_above_one_is_no_percentage():
    assert unit_factor([1.2, 1.4, 3.0], 0.9, metric="loss", higher_is_better=False) == 1.0


def test_a_declared_unit_counts():
    low = [0.9, 0.5, 0.2]  # percent, all below one
    assert unit_factor(low, 0.004, metric="accuracy", declared=Unit.PERCENT) == 100.0
    assert unit_factor(PERCENT, 0.97, metric="accuracy", of_benchmark=Unit.PERCENT) == 1.0
    assert declared_unit("percent") is declared_unit("%") is Unit.PERCENT and declared_unit("ms") is None


@pytest.mark.parametrize(
    ("written", "unit"),
    [
        ("percents", "percent"),
        (" Percentage", "percent"),
        ("fraction", "share"),
        ("percentile", "percentile"),
        ("%", "%"),
    ],
)
def test_a_share_has_two_units_whatever_a_registry_calls_them(written, unit):
    board = Leaderboard(
        name="Board",
        url="board.yaml",
        scrape_method="manual",
        primary_metric="f1",
        higher_is_better=True,
        unit=written,
    )
    assert board.unit == unit


def test_what_cannot_be_one_metric_is_said():
    told = mismatch([3141.0, 2718.0], 0.95, 1.0)
    assert told is not None and "unit" in told and "2718" in told and "0.95" in told
    assert mismatch(PERCENT, 0.97, 100.0) is None and mismatch([], 0.97, 1.0) is None
