"""Significance against the baseline."""

import pytest
from scipy import stats

from auto_benchmark.grid.comparison import ComparisonVerdict, compare
from auto_benchmark.grid.table import rankings

BASE = [0.800, 0.804, 0.797, 0.801, 0.803]
BETTER = [0.851, 0.853, 0.849, 0.852, 0.850]
SAME = [0.802, 0.799, 0.801, 0.800, 0.803]


def judged(sweep, scores, **options):
    spec, outcomes = sweep({name: {"t": v} for name, v in scores.items()}, **options)
    (ranking,) = rankings(spec, outcomes)
    return {c.name: c for c in compare(spec, ranking, outcomes)}


def test_paired_t_with_holm_over_the_family(sweep):
    found = judged(sweep, {"baseline": BASE, "good": BETTER, "same": SAME})
    good, same = found["good"], found["same"]
    assert good.p == pytest.approx(stats.ttest_rel(BETTER, BASE).pvalue)
    assert good.p_holm == pytest.approx(2 * good.p)
    assert same.p_holm == pytest.approx(same.p)
    assert (good.verdict, same.verdict) == (ComparisonVerdict.BETTER, ComparisonVerdict.INCONCLUSIVE)
    assert good.p_sign_flip == good.attainable == 2**-4
    assert good.is_meaningful
    assert not same.is_meaningful
    low, high = stats.ttest_rel(BETTER, BASE).confidence_interval(0.95)
    assert good.interval == pytest.approx((low, high))
    assert 0 < good.detectable < good.difference


def test_direction_follows_the_metric(sweep):
    assert judged(sweep, {"baseline": BASE, "x": BETTER}, higher=False)["x"].verdict is ComparisonVerdict.WORSE
    assert judged(sweep, {"baseline": BETTER, "x": BASE}, higher=False)["x"].verdict is ComparisonVerdict.BETTER


def test_three_seeds_are_shown_but_carry_no_verdict(sweep):
    c = judged(sweep, {"baseline": BASE[:3], "good": BETTER[:3]})["good"]
    assert c.p < 0.05
    assert (c.verdict, c.attainable) == (ComparisonVerdict.TOO_FEW_SEEDS, 0.25)
    alone = judged(sweep, {"baseline": BASE[:1], "good": BETTER[:1]})["good"]
    assert (alone.verdict, alone.p, alone.difference) == (ComparisonVerdict.TOO_FEW_SEEDS, None, pytest.approx(0.051))


def test_no_variance_is_said_and_never_significant(sweep):
    c = judged(sweep, {"baseline": [0.5] * 5, "x": [0.6] * 5})["x"]
    assert c.verdict is ComparisonVerdict.NO_VARIANCE
    assert c.p is None
    assert "is the seed used?" in c.reason


def test_noise_of_1e_9_makes_no_variance(sweep):
    c = judged(sweep, {"baseline": [0.5] * 5, "x": [0.6, 0.6 + 1e-9, 0.6 - 1e-9, 0.6 + 2e-9, 0.6]})["x"]
    assert (c.verdict, c.p) == (ComparisonVerdict.NO_VARIANCE, None)
    assert "is the seed used?" in c.reason


def test_failed_seeds_leave_the_pairs_and_failed_configurations_the_family(sweep):
    found = judged(sweep, {"baseline": BASE, "good": [None, *BETTER[1:]], "never": [None] * 5})
    assert (found["good"].seeds, found["good"].verdict) == (4, ComparisonVerdict.TOO_FEW_SEEDS)
    assert found["good"].p_holm == found["good"].p
    assert found["never"].verdict is ComparisonVerdict.NO_SCORE


def test_few_items_keep_a_verdict_local(sweep):
    few = judged(sweep, {"baseline": BASE, "good": BETTER}, items={"t": 100})["good"]
    assert few.verdict is ComparisonVerdict.BETTER_HERE
    assert few.population[0] < 0 < few.interval[0]
    many = judged(sweep, {"baseline": BASE, "good": BETTER}, items={"t": 4000})["good"]
    assert many.verdict is ComparisonVerdict.BETTER
    assert many.detectable > judged(sweep, {"baseline": BASE, "good": BETTER})["good"].detectable


def test_a_declared_difference_decides_what_matters(sweep):
    assert not judged(sweep, {"baseline": BASE, "x": BETTER}, meaningful_difference=0.1)["x"].is_meaningful
