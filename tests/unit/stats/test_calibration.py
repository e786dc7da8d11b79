"""Predicted probabilities against what happened."""

import numpy as np
import pytest
from scipy import stats

from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.calibration import calibration


def test_groups_rates_and_intervals():
    found = calibration([(0.05, False), (0.07, True), (0.3, True), (1.0, True)])
    assert [(r.low, r.high, r.predictions, r.happened) for r in found.rows] == [
        (0.05, 0.1, 2, 1), (0.2, 0.4, 1, 1), (0.8, 1.0, 1, 1),
    ]  # fmt: skip
    assert found.rows[0].predicted == pytest.approx(0.06)
    exact = stats.binomtest(3, 4).proportion_ci(0.95, "exact")
    assert found.whole.interval == pytest.approx((exact.low, exact.high))
    assert found.brier == pytest.approx((0.05**2 + 0.93**2 + 0.7**2) / 4)
    assert found.brier_of_rate == pytest.approx(0.75 * 0.25)


@pytest.mark.parametrize(("stretch", "holds"), [(1.0, True), (3.0, False)])
def test_true_probabilities_hold_and_overrated_ones_do_not(stretch, holds):
    rng = np.random.default_rng(5)
    truth = rng.uniform(0.05, 0.3, 2000)
    found = calibration([(float(p * stretch), bool(rng.random() < p)) for p in truth])
    assert found.whole.holds is holds
    assert all(row.holds for row in found.rows if row.predictions > 100) is holds


@pytest.mark.parametrize("made", [[], [(1.2, True)], [(float("nan"), True)]])
def test_no_table_of_nothing_or_of_what_is_no_probability(made):
    with pytest.raises(NotApplicableError):
        calibration(made)
