"""Criterion 1: the estimate against the threshold, in either direction, with rounding at the edge."""

from dataclasses import replace

import pytest
from tests.unit.promotion.evidence import compared, evidence, trials

from auto_benchmark.promotion.criteria.improvement import improvement
from auto_benchmark.promotion.measurement import measure


def found(ours, theirs, test=None, **changes):
    given = evidence([], candidate=trials(ours), control=trials(theirs), **changes)
    return improvement(measure(given), test, given)


def test_the_value_is_the_difference_of_means_and_the_threshold_the_evidence_s():
    row = found([0.83, 0.85], [0.80, 0.82, 0.81]).row
    assert (row.name, row.value, row.threshold, row.passed) == ("improvement", 0.03, 0.005, True)
    assert row.reason == "+0.03, wanted at least +0.005"


def test_lower_is_better_turns_the_sign():
    assert found([3.0], [3.2], higher_is_better=False).row.value == 0.2
    assert found([3.2], [3.0], higher_is_better=False).row.value == -0.2


@pytest.mark.parametrize(
    ("ours", "passed"),
    [
        (0.30, True),  # 0.3 - 0.2 is 0.09999999999999998: rounding must not decide
        (0.31, True),
        (0.2999, False),
        (0.20, False),
        (0.10, False),
    ],
)
def test_at_the_threshold_it_passes_and_below_it_does_not(ours, passed):
    assert found([ours], [0.20], promotion_threshold=0.1).row.passed is passed


@pytest.mark.parametrize(("unit", "passed"), [(1.0, False), (1e6, False), (1e-6, False)])
def test_the_edge_scales_with_the_unit(unit, passed):
    """A shortfall of a millionth of the scale is one, whatever the unit."""
    ours = (0.3 - 1e-6) * unit
    assert found([ours], [0.2 * unit], promotion_threshold=0.1 * unit).row.passed is passed


def test_it_is_hopeless_once_the_whole_interval_lies_below_the_threshold():
    given = evidence([0.8203, 0.8201, 0.8199])
    test = compared(given)
    below, across = (replace(test, interval=interval) for interval in ((-0.004, 0.0049), (-0.004, 0.0051)))
    for interval, for_good in ((below, True), (across, False), (None, False)):
        finding = improvement(measure(given), interval, given)
        assert (finding.row.passed, finding.for_good) == (False, for_good)
    assert "95 % interval -0.004 to +0.0049" in improvement(measure(given), below, given).row.reason
