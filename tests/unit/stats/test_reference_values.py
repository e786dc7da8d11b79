"""Against scipy, statsmodels and published tables, to 1e-9."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as sm_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import normal_power
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from auto_benchmark.stats.effect_size import cohen_d, cohen_dz, hedges_g
from auto_benchmark.stats.holm import holm
from auto_benchmark.stats.intervals import bca_interval, rate_interval, t_interval, welch_interval, wilson_interval
from auto_benchmark.stats.mcnemar import mcnemar
from auto_benchmark.stats.noise import pooled
from auto_benchmark.stats.non_inferiority import non_inferiority
from auto_benchmark.stats.paired import paired_t, sign_flip, wilcoxon
from auto_benchmark.stats.power import items_needed, minimum_detectable_effect

EXACT = {"rel": 1e-9, "abs": 1e-12}
# Student's sleep data (Student 1908): extra hours under two drugs, ten patients
DRUG_1 = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
DRUG_2 = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
RNG = np.random.default_rng(5)
A, B = RNG.normal(0.3, 1, 9), RNG.normal(0, 2, 7)


def test_students_own_example():
    result = paired_t(DRUG_2 - DRUG_1)
    assert result.statistic == pytest.approx(4.062127683382037, rel=1e-9)
    assert result.p == pytest.approx(0.00283289019738427, rel=1e-9)
    assert t_interval(DRUG_2 - DRUG_1) == pytest.approx((0.7001142371, 2.4598857629), abs=1e-9)
    assert cohen_dz(DRUG_2 - DRUG_1) == pytest.approx(4.062127683382037 / math.sqrt(10), rel=1e-9)


def test_paired_t_is_scipys():
    expected = stats.ttest_rel(A[:7], B)
    result = paired_t(A[:7] - B)
    assert (result.statistic, result.p) == pytest.approx((expected.statistic, expected.pvalue), **EXACT)


def test_intervals_are_scipys_and_statsmodels():
    expected = stats.t.interval(0.9, 8, loc=A.mean(), scale=stats.sem(A))
    assert t_interval(A, 0.9) == pytest.approx(expected, **EXACT)
    comparison = CompareMeans(DescrStatsW(A), DescrStatsW(B))
    assert welch_interval(A, B) == pytest.approx(comparison.tconfint_diff(usevar="unequal"), **EXACT)


@pytest.mark.parametrize(("events", "trials"), [(0, 40), (1, 40), (7, 60), (40, 40)])
def test_rate_interval_is_clopper_pearson(events, trials):
    low, high = proportion_confint(events, trials, method="beta")
    assert rate_interval(events, trials) == pytest.approx(
        (0.0 if events == 0 else low, 1.0 if events == trials else high), **EXACT
    )


@pytest.mark.parametrize(("events", "trials"), [(0, 40), (1, 40), (7, 60), (40, 40)])
def test_wilson_interval_is_statsmodels(events, trials):
    assert wilson_interval(events, trials) == pytest.approx(
        proportion_confint(events, trials, method="wilson"), rel=1e-9, abs=1e-12
    )


def test_bca_agrees_with_scipys_within_resampling_noise():
    skewed = np.random.default_rng(1).exponential(size=40)
    expected = stats.bootstrap(
        (skewed,), np.mean, method="BCa", n_resamples=20_000, rng=np.random.default_rng(2)
    ).confidence_interval
    found = bca_interval(skewed, resamples=20_000, seed=3)
    assert found == pytest.approx((expected.low, expected.high), abs=0.02)


def test_effect_sizes():
    spread = math.sqrt((8 * A.var(ddof=1) + 6 * B.var(ddof=1)) / 14)
    assert cohen_d(A, B) == pytest.approx((A.mean() - B.mean()) / spread, **EXACT)
    exact_factor = math.gamma(7) / (math.gamma(6.5) * math.sqrt(7))
    assert hedges_g(A, B) == pytest.approx(cohen_d(A, B) * exact_factor, **EXACT)


@pytest.mark.parametrize("n", [5, 6, 8, 12, 15])
def test_wilcoxon_is_scipys_exact(n):
    d = np.random.default_rng(n).normal(0.4, 1, n)
    expected = stats.wilcoxon(d, method="exact")
    result = wilcoxon(d)
    assert result.p == pytest.approx(expected.pvalue, **EXACT)
    assert min(result.statistic, n * (n + 1) / 2 - result.statistic) == expected.statistic


def test_wilcoxon_critical_values_of_the_published_table():
    """n = 10: T = 8 is the largest with two-sided p <= .05 (p = .0488), T = 9 is not (.0645)."""
    ranks = np.arange(1.0, 11)
    eight, nine = ranks.copy(), ranks.copy()
    eight[[7]] *= -1
    nine[[8]] *= -1
    assert wilcoxon(eight).p == pytest.approx(50 / 1024, **EXACT)
    assert wilcoxon(nine).p == pytest.approx(66 / 1024, **EXACT)


def test_wilcoxon_with_ties_is_the_permutation_distribution():
    d = np.array([1.0, 1.0, 2.0, 2.0, -1.0, 3.0, 4.0])
    ranks = stats.rankdata(np.abs(d))
    expected = stats.permutation_test(
        (np.sign(d) * ranks,),
        lambda x: np.sum(x[x > 0]),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=False,
    )
    assert wilcoxon(d).p == pytest.approx(expected.pvalue, **EXACT)


@pytest.mark.parametrize("n", [5, 9, 12])
def test_sign_flip_is_scipys_exact_permutation_test(n):
    d = np.random.default_rng(n).normal(0.5, 1, n)
    expected = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True)
    assert sign_flip(d).p == pytest.approx(expected.pvalue, **EXACT)


def test_sign_flip_beyond_enumeration_is_close():
    d = np.random.default_rng(8).normal(0.35, 1, 30)
    assert sign_flip(d, seed=1).p == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=0.01)


def test_mcnemar_is_statsmodels():
    ours = {f"q{i}": float(i % 3 != 0) for i in range(60)}
    theirs = {f"q{i}": float(i % 4 != 0 or i % 3 == 0) for i in range(60)}
    gained = sum(ours[i] > theirs[i] for i in ours)
    lost = sum(ours[i] < theirs[i] for i in ours)
    expected = sm_mcnemar([[0, gained], [lost, 0]], exact=True)
    found = mcnemar(ours, theirs)
    assert (found.gained, found.lost) == (gained, lost)
    assert found.p == pytest.approx(expected.pvalue, **EXACT)


def test_holm_is_statsmodels():
    p = {"a": 0.04, "b": 0.001, "c": 0.03, "d": 0.2, "e": 0.03}
    expected = multipletests(list(p.values()), method="holm")[1]
    assert list(holm(p).values()) == pytest.approx(list(expected), **EXACT)


def test_minimum_detectable_effect_inverts_power():
    effect = minimum_detectable_effect(0.004, 12, 10, items=2000, discordance=0.05)
    error = math.sqrt(0.004**2 * (1 / 12 + 1 / 10) + 0.05 / 2000)
    # the far tail of the two-sided power function is below 1e-6 here
    assert normal_power(effect / error, 1, 0.05, alternative="two-sided") == pytest.approx(0.8, abs=1e-6)


def test_items_needed_of_the_reference():
    """Reference: +.005 at 5 % discordance needs about 15,700 paired items."""
    assert items_needed(0.005) == 15_698
    needed = items_needed(0.005, sd=0.004, seeds=12, control=10)
    assert minimum_detectable_effect(0.004, 12, 10, items=needed) <= 0.005
    assert minimum_detectable_effect(0.004, 12, 10, items=needed - 1) > 0.005


def test_pooled_noise_is_the_within_mean_square():
    groups = [A, B, A[:3] + 4]
    squares = sum(((g - g.mean()) ** 2).sum() for g in groups)
    noise = pooled([*groups, [5.0]])
    assert (noise.sd, noise.df) == (pytest.approx(math.sqrt(squares / 16), **EXACT), 16)


def test_non_inferiority_bound_is_welchs_one_sided_limit():
    comparison = CompareMeans(DescrStatsW(A), DescrStatsW(B))
    result = non_inferiority(A, B, margin=1.0, higher_is_better=False)
    assert result.upper == pytest.approx(comparison.tconfint_diff(0.1, usevar="unequal")[1], **EXACT)
    mirrored = non_inferiority(-A, -B, margin=1.0, higher_is_better=True)
    assert (mirrored.upper, mirrored.lower) == pytest.approx((result.upper, result.lower), **EXACT)
