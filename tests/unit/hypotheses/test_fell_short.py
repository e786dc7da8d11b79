"""What fell short of the threshold is named, with what a lower threshold would cost."""

from __future__ import annotations

import numpy as np
import pytest

from auto_benchmark.hypotheses.search.fell_short import false_promotion_rate, fell_short
from auto_benchmark.hypotheses.search.finding import Refused

BASE = {"reads": 2, "flip": 0.1}


def test_the_best_below_the_threshold_is_named_with_its_price():
    refused = [
        Refused({**BASE, "reads": 3}, 6, 0.0096, 0.008),
        Refused({**BASE, "flip": 0.0}, 6, 0.004, 0.008),
        Refused({**BASE, "reads": 9}, 6, -0.02, 0.008),
        Refused({**BASE, "reads": 8}, 1),
    ]
    said = fell_short(refused, BASE, threshold=0.01, missing=0.007, level=0.05)
    assert said is not None
    assert "+0.0096 with reads 3" in said and "threshold of 0.01" in said and "gap to #1 of 0.007" in said
    assert "0.93% instead of 0.71%" in said


def test_nothing_fell_short_where_all_are_worse_or_unknown():
    refused = [Refused({**BASE, "reads": 9}, 6, -0.02, 0.008), Refused({**BASE, "reads": 8}, 1)]
    assert fell_short(refused, BASE, threshold=0.01, missing=0.0, level=0.05) is None


@pytest.mark.parametrize(("threshold", "level"), [(0.01, 0.05), (0.002, 0.05), (0.005, 0.2)])
def test_the_rate_is_what_a_simulation_finds(threshold, level):
    drawn = np.random.default_rng(7).normal(0.0, 0.004, 400_000)
    significant = 0.004 * {0.05: 1.6449, 0.2: 0.8416}[level]
    found = np.mean((drawn >= threshold) & (drawn >= significant))
    assert false_promotion_rate(threshold, 0.004, level) == pytest.approx(found, abs=0.002)
