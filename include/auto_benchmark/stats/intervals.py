"""Confidence intervals: Student's t, Welch, BCa bootstrap, binomial by Clopper and Pearson and by Wilson."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from scipy import stats
from scipy.special import ndtr, ndtri

from auto_benchmark.stats.applicability import Array, NotApplicableError, is_constant, sample

Interval = tuple[float, float]


def t_interval(values: Sequence[float] | Array, level: float = 0.95) -> Interval:
    """Student's interval of a mean (Student 1908).

    Raises:
        NotApplicableError: fewer than two values, or no variance: a width of zero would claim certainty.
    """
    x = sample(values, 2, "scores")
    if is_constant(x):
        raise NotApplicableError("all scores are equal: an interval of width zero would claim certainty")
    half = float(stats.t.ppf((1 + level) / 2, x.size - 1)) * float(x.std(ddof=1)) / math.sqrt(x.size)
    return float(x.mean()) - half, float(x.mean()) + half


def welch_interval(ours: Sequence[float] | Array, theirs: Sequence[float] | Array, level: float = 0.95) -> Interval:
    """Interval of a difference of means with unequal variances (Welch 1947, Satterthwaite's degrees of freedom)."""
    a, b = sample(ours, 2, "candidate scores"), sample(theirs, 2, "control scores")
    scale = float(max(np.abs(a).max(), np.abs(b).max()))
    if is_constant(a, scale) and is_constant(b, scale):
        raise NotApplicableError("neither side varies between seeds")
    va, vb = float(a.var(ddof=1)) / a.size, float(b.var(ddof=1)) / b.size
    df = welch_degrees(va, a.size, vb, b.size)
    half = float(stats.t.ppf((1 + level) / 2, df)) * math.sqrt(va + vb)
    centre = float(a.mean() - b.mean())
    return centre - half, centre + half


def welch_degrees(va: float, na: int, vb: float, nb: int) -> float:
    """Satterthwaite's degrees of freedom for two squared standard errors, not both zero, of samples of these sizes.

    Both are first divided by a power of two, which changes no digit: the squares of variances that may be reported would
    leave the range of floats.
    """
    exponent = -math.frexp(max(va, vb))[1]
    va, vb = math.ldexp(va, exponent), math.ldexp(vb, exponent)
    return (va + vb) ** 2 / (va**2 / (na - 1) + vb**2 / (nb - 1))


def mean(values: Array) -> float:
    """Arithmetic mean as a plain float."""
    return float(values.mean())


def bca_interval(
    values: Sequence[float] | Array,
    statistic: Callable[[Array], float] = mean,
    *,
    level: float = 0.95,
    resamples: int = 4000,
    seed: int = 0,
) -> Interval:
    """Bias-corrected and accelerated bootstrap interval (Efron 1987), jackknife acceleration.

    Raises:
        NotApplicableError: fewer than eight values (below that the bootstrap's coverage collapses: Colas et al.
            2018),
            no variance, or a bootstrap distribution that lies on one side of the estimate.
    """
    x = sample(values, 8, "scores for a bootstrap")
    if is_constant(x):
        raise NotApplicableError("all scores are equal, resampling shows nothing")
    rng = np.random.default_rng(seed)
    observed = statistic(x)
    draws = np.sort([statistic(x[rng.integers(0, x.size, x.size)]) for _ in range(resamples)])
    below = (np.count_nonzero(draws < observed) + np.count_nonzero(draws == observed) / 2) / resamples
    if not 0 < below < 1:
        raise NotApplicableError("the bootstrap distribution lies on one side of the estimate")
    bias = ndtri(below)
    jackknife = np.array([statistic(np.delete(x, i)) for i in range(x.size)])
    centred = jackknife.mean() - jackknife
    squares = float((centred**2).sum())
    acceleration = float((centred**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0
    z = ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    shares = ndtr(bias + (bias + z) / (1 - acceleration * (bias + z)))
    low, high = np.quantile(draws, shares)
    return float(low), float(high)


def rate_interval(events: int, trials: int, level: float = 0.95) -> Interval:
    """Exact interval of a rate (Clopper & Pearson 1934).

    Raises:
        NotApplicableError: no trials, or counts that contradict each other.
    """
    if trials < 1 or not 0 <= events <= trials:
        raise NotApplicableError(f"no rate from {events} of {trials}")
    tail = (1 - level) / 2
    low = 0.0 if events == 0 else float(stats.beta.ppf(tail, events, trials - events + 1))
    high = 1.0 if events == trials else float(stats.beta.ppf(1 - tail, events + 1, trials - events))
    return low, high


@lru_cache(maxsize=4096)  # SciPy makes a test first, which takes a hundred times as long as the interval
def wilson_interval(events: int, trials: int, level: float = 0.95) -> Interval:
    """Interval of a share (Wilson 1927): its coverage is near the level on average, where the exact one exceeds it.

    Raises:
        NotApplicableError: no trials, or counts that contradict each other.
    """
    if trials < 1 or not 0 <= events <= trials:
        raise NotApplicableError(f"no share from {events} of {trials}")
    low, high = stats.binomtest(events, trials).proportion_ci(level, method="wilson")
    return float(low), float(high)


def wilson_interval_of_units(share: float, units: int, level: float = 0.95) -> Interval:
    """Wilson's interval of a mean over units of which each is itself a share, as of an item by its raters.

    A mean of shares varies at most as one of whole events does, so that the interval is not too short.

    Raises:
        NotApplicableError: no units, or no share.
    """
    if units < 1 or not 0 <= share <= 1:
        raise NotApplicableError(f"no interval of {share} over {units} units")
    z = float(ndtri((1 + level) / 2))
    centre = (share + z * z / (2 * units)) / (1 + z * z / units)
    half = z / (1 + z * z / units) * math.sqrt(share * (1 - share) / units + z * z / (4 * units * units))
    return max(0.0, min(centre - half, share)), min(1.0, max(centre + half, share))
