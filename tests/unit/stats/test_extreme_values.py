"""A trial may report any number up to 1e100, and any above zero: the arithmetic of decisions holds at both ends."""

from __future__ import annotations

import math

import pytest

from auto_benchmark.stats.intervals import welch_interval
from auto_benchmark.stats.non_inferiority import non_inferiority

SMALL, LARGE = 2.0**-300, 2.0**300


@pytest.mark.parametrize("scale", [SMALL, LARGE])
def test_scale_changes_no_digit_of_a_bound_nor_of_an_interval(scale):
    ours, theirs = [1.0, 1.5, 1.75], [1.0, 1.25, 1.375, 1.0]
    scaled = [[value * scale for value in side] for side in (ours, theirs)]
    plain = non_inferiority(ours, theirs, margin=0.1, higher_is_better=False)
    assert non_inferiority(*scaled, margin=0.1 * scale, higher_is_better=False).upper == plain.upper * scale
    assert welch_interval(*scaled) == tuple(bound * scale for bound in welch_interval(ours, theirs))


@pytest.mark.parametrize("reported", [(5e-324, 1e-300, 1e100), (1e100, 1e100, 5e-324), (1e-150, 3e-150, 2e-150)])
def test_what_may_be_reported_gives_a_finite_bound(reported):
    told = non_inferiority(reported, [1.0, 1.01, 1.02], margin=0.1, higher_is_better=False)
    assert math.isfinite(told.upper) and math.isfinite(told.lower)
