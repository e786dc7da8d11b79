"""Noise between seeds: pooled over configurations, with its degrees of freedom, and guarded against a noisier one.

Pooled variance: sum of squares within configurations / sum of (n_i - 1) (any textbook on one-way analysis of
variance). It assumes that configurations share one standard deviation; :func:`guarded_variance` covers the case where
the configuration at hand is noisier than the pool.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from auto_benchmark.stats.applicability import Array, NotApplicableError, sample

ENOUGH_DF = 10
"""From this many degrees of freedom on, the pooled standard deviation is treated as known by the sequential test."""


@dataclass(frozen=True, slots=True)
class PooledNoise:
    """Standard deviation of one trial between seeds, in the metric's unit, and its degrees of freedom."""

    sd: float
    df: int

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Chi-square interval of the standard deviation."""
        tail = (1 - level) / 2
        low, high = stats.chi2.ppf([1 - tail, tail], self.df)
        return self.sd * math.sqrt(self.df / low), self.sd * math.sqrt(self.df / high)


def pooled(groups: Iterable[Sequence[float] | Array]) -> PooledNoise:
    """Pool the spread within each group of trials of one configuration.

    Args:
        groups: per configuration its scores, one per seed; groups of fewer than two say nothing and are skipped.

    Raises:
        NotApplicableError: no group holds two scores.
    """
    squares, df = 0.0, 0
    for group in groups:
        scores = sample(group, 0, "scores of a configuration")
        if scores.size >= 2:
            squares += float(np.sum((scores - scores.mean()) ** 2))
            df += scores.size - 1
    if df == 0:
        raise NotApplicableError("no configuration has two seeds, so the noise between seeds is unknown")
    return PooledNoise(math.sqrt(squares / df), df)


def guarded_variance(pooled_variance: Any, sample_variance: Any, n: int, *, widen: bool = True) -> Any:
    """Variance of one trial that the test uses: the larger of pool and own sample.

    With ``widen`` the sample variance is first multiplied by n / (n - 1): at three seeds a sample variance falls
    below the true one in 63 % of cases, and a candidate with twice the pool's standard deviation would otherwise
    reach a false-promotion rate of .032 instead of .026 (simulated, docs/statistics.md). Works on arrays.
    """
    if n < 2:
        return pooled_variance
    factor = n / (n - 1) if widen else 1.0
    return np.maximum(pooled_variance, sample_variance * factor)
