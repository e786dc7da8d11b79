"""Criterion 2: the policy's p against its level, both as two-sided numbers, and no p where there is no test."""

import numpy as np
import pytest
from scipy import stats
from tests.unit.promotion.evidence import CONTROL, GOOD, compared, evidence, trials

from auto_benchmark.promotion.comparison import Comparison
from auto_benchmark.promotion.criteria.significance import significance
from auto_benchmark.promotion.measurement import measure

ALPHA = 0.025


def comparison(p):
    return Comparison(p, ALPHA, False, False, 5, (0.0, 0.1), "a test")


def found(p):
    return significance(measure(evidence(GOOD)), comparison(p), ALPHA, "").row


@pytest.mark.parametrize(("one_sided", "shown", "passed"), [(0.01, 0.02, True), (0.2, 0.4, False), (0.7, 1.0, False)])
def test_p_and_level_read_as_two_sided(one_sided, shown, passed):
    row = found(one_sided)
    assert (row.name, row.value, row.threshold, row.passed) == ("significance", shown, 0.05, passed)


def test_the_level_itself_is_significant_and_anything_above_is_not():
    assert found(ALPHA).passed
    assert not found(float(np.nextafter(ALPHA, 1))).passed


def test_without_a_test_no_p_is_shown_and_it_fails():
    row = significance(measure(evidence(GOOD)), None, ALPHA, "the seed is not used").row
    assert (row.value, row.threshold, row.passed) == (None, 0.05, False)
    assert row.reason == "no test: the seed is not used"


def test_a_policy_that_does_not_test_yet_has_no_p():
    row = found(None)
    assert (row.value, row.passed, row.reason.split(";")[0]) == (None, False, "no p yet")


def test_the_sequential_test_passes_a_clear_winner_and_nothing_else():
    for scores, passed in ((GOOD, True), (CONTROL[:3], False), ([0.80, 0.801, 0.799], False)):
        given = evidence(scores)
        assert significance(measure(given), compared(given), ALPHA, "").row.passed is passed, scores


def test_the_paired_t_test_stands_beside_it():
    given = evidence([], candidate=trials([0.84, 0.83, 0.85, 0.83, 0.845]), control=trials(CONTROL))
    p = stats.ttest_rel([0.84, 0.83, 0.85, 0.83, 0.845], CONTROL[:5]).pvalue
    row = significance(measure(given), compared(given), ALPHA, "").row
    assert f"paired t on 5 common seeds p = {p:.3g} (a sign-flip test on them reaches 0.0625 at best)" in row.reason


def test_without_common_seeds_there_is_no_paired_test():
    given = evidence(GOOD)
    assert "no paired t test (" in significance(measure(given), compared(given), ALPHA, "").row.reason
