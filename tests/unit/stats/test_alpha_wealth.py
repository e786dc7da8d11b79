"""LORD++ against its formula, and what it promises on independent tests."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from auto_benchmark.stats.alpha_wealth import FALSE_SHARE, LARGEST_LEVEL, LordStreams, spending, wealth
from auto_benchmark.stats.applicability import NotApplicableError

W0 = FALSE_SHARE / 2


def formula(decisions, target=FALSE_SHARE, w0=W0):
    """Level of the next test, written out."""
    t = len(decisions) + 1
    g = spending(t)
    times = [i + 1 for i, d in enumerate(decisions) if d]
    level = g[t - 1] * w0
    if times:
        level += (target - w0) * g[t - times[0] - 1]
        level += target * sum(g[t - x - 1] for x in times[1:])
    return min(level, LARGEST_LEVEL)


def test_spending_sums_to_one():
    n = 1_000_000
    rest = n**-0.3 / (0.3 * 3.931949211809544)  # integral of the tail; zeta(1.3) from published tables
    assert spending(n).sum() + rest == pytest.approx(1, abs=1e-6)


@settings(deadline=None)
@given(st.lists(st.booleans(), max_size=40))
def test_levels_are_the_published_formula(decisions):
    found = wealth(decisions)
    assert found.next_level == pytest.approx(formula(decisions), rel=1e-12)
    assert found.remaining > 0
    assert (found.tests, found.discoveries) == (len(decisions), sum(decisions))


def test_discoveries_are_rewarded():
    assert wealth([False] * 10 + [True]).next_level > wealth([False] * 11).next_level


def test_false_share_on_independent_tests():
    rng = np.random.default_rng(7)
    streams, length = 2000, 60
    purse = LordStreams(streams, length)
    false, found = np.zeros(streams), np.zeros(streams)
    for t in range(length):
        real = rng.random(streams) < 0.3
        p = norm.sf(rng.standard_normal(streams) + 3 * real)
        discovered = p <= purse.level(t)
        purse.record(t, discovered)
        false += discovered & ~real
        found += discovered
    assert (false / np.maximum(found, 1)).mean() <= FALSE_SHARE


def test_wealth_needs_wealth():
    with pytest.raises(NotApplicableError):
        LordStreams(1, 5, target=0.1, initial=0.2)
