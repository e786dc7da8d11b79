"""Wilcoxon's signed ranks: the exact share of sign patterns, the same both ways round, and never NaN."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import rankdata

from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.paired import wilcoxon


def counted(differences):
    """Two-sided p by trying every sign pattern."""
    d = np.array([x for x in differences if x])
    ranks = rankdata(np.abs(d))
    observed = ranks[d > 0].sum()
    sums = [
        sum(r for r, up in zip(ranks, ups, strict=True) if up) for ups in itertools.product((0, 1), repeat=d.size)
    ]
    low, high = np.mean([s <= observed + 1e-9 for s in sums]), np.mean([s >= observed - 1e-9 for s in sums])
    return min(1.0, 2 * min(low, high))


SAMPLES = [
    [round(float(x), 1) for x in np.random.default_rng(seed).normal(0.2, 0.4, size=5 + seed % 6)]
    for seed in range(20)
]


@pytest.mark.parametrize("sample", [s for s in SAMPLES if len({x for x in s if x}) > 1], ids=str)
def test_p_is_the_share_of_sign_patterns(sample):
    assert wilcoxon(sample).p == pytest.approx(counted(sample), abs=1e-12)


@pytest.mark.parametrize("sample", SAMPLES[:8], ids=str)
def test_both_ways_round_are_equal(sample):
    assert wilcoxon(sample).p == pytest.approx(wilcoxon([-x for x in sample]).p, rel=1e-12)


def p_or_reason(differences):
    """A p value, or the words of a refusal."""
    try:
        return wilcoxon(differences).p
    except NotApplicableError as refused:
        return str(refused)


@pytest.mark.parametrize("pairs", [54, 500])
def test_one_side_is_always_better(pairs):
    p = wilcoxon([1.0 + n / 1000 for n in range(pairs)]).p
    assert 0 < p < 1e-12


def test_more_pairs_than_a_float_can_count_the_patterns_of():
    found = p_or_reason([1.0 + n / 1000 for n in range(1100)])
    assert isinstance(found, str) or (math.isfinite(found) and 0 <= found < 1e-12)


@pytest.mark.parametrize("pairs", [54, 500])
def test_equal_differences_that_differ_in_the_last_bit_are_ties(pairs):
    signs = [1 if n % 3 else -1 for n in range(pairs)]
    exact, bits = [0.3 * s for s in signs], [s * (0.1 + 0.2 if n % 2 else 0.3) for n, s in enumerate(signs)]
    assert p_or_reason(bits) == pytest.approx(p_or_reason(exact), rel=1e-9)
