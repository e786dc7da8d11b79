"""A/A of the whole gate on simulated trials: thousands of comparisons in which every promotion is false."""

import pytest

from auto_benchmark.promotion.aa import false_rate, simulate
from auto_benchmark.promotion.schema import Verdict


@pytest.mark.parametrize(
    "world",
    [{}, {"noise_df": 10}, {"noise_df": 6}, {"noise_df": None}, {"noise_df": None, "control": 5}],
    ids=["known noise", "10 df", "6 df", "no noise model", "no noise model, 5 control trials"],
)
def test_false_rate_of_the_whole_gate_includes_the_nominal_level(world):
    decisions = simulate(800, seed=17, **world)
    rate = false_rate([d.verdict for d in decisions])
    assert rate.comparisons == 800
    assert rate.interval[0] <= 0.025, rate
    assert rate.believable
    assert all(d.verdict.is_final for d in decisions)


def test_the_test_can_fail():
    """A gate at a much higher level would be caught."""
    rate = false_rate([Verdict.PROMOTE] * 40 + [Verdict.FUTILE] * 760)
    assert not rate.believable


def test_rate_counts_challengers_and_needs_comparisons():
    assert false_rate([]) is None
    rate = false_rate([Verdict.CHALLENGER, Verdict.FUTILE, Verdict.REJECT, Verdict.FUTILE])
    assert (rate.wins, rate.rate) == (1, 0.25)
