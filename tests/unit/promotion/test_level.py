"""The level that a project grants its next hypothesis."""

import pytest

from auto_benchmark.promotion.decision import Verdict
from auto_benchmark.promotion.level import next_level, project_wealth

LOSSES = [Verdict.FUTILE, Verdict.REJECT] * 10


def test_the_plain_policy_has_one_level():
    assert next_level("sequential", LOSSES) == next_level("fixed_n10", []) == 0.025


def test_wealth_falls_with_failures_and_rises_with_discoveries():
    start, poor = next_level("sequential_wealth", []), next_level("sequential_wealth", LOSSES)
    assert 0 < poor < start <= 0.025
    for win in (Verdict.PROMOTE, Verdict.CHALLENGER):
        assert next_level("sequential_wealth", [*LOSSES, win]) > poor


def test_open_hypotheses_spend_nothing():
    undecided = [Verdict.INCONCLUSIVE, Verdict.INSUFFICIENT_DATA, Verdict.NO_VARIANCE]
    assert project_wealth([*LOSSES, *undecided]) == project_wealth(LOSSES)
    assert project_wealth(LOSSES).remaining == pytest.approx(
        0.1 - sum(0.1 * 0.2543 * j**-1.3 for j in range(1, 21)), abs=1e-3
    )
