"""Flags for configurations that vary too much between seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from auto_benchmark.stats.applicability import Array, NotApplicableError, sample


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviation between seeds as a share of the mean, and whether it is flagged."""

    sd: float
    relative: float
    flagged: bool


def relative_spread(values: Sequence[float] | Array, limit: float = 0.01) -> Spread:
    """Standard deviation / |mean|, flagged above ``limit``.

    Raises:
        NotApplicableError: fewer than two seeds, or a mean within two standard errors of zero, where a share of the
            mean
            means nothing.
    """
    x = sample(values, 2, "scores")
    sd, centre = float(x.std(ddof=1)), abs(float(x.mean()))
    if centre == 0 or centre <= 2 * sd / np.sqrt(x.size):
        raise NotApplicableError("the mean is not distinguishable from zero, so the spread has no share of it")
    return Spread(sd, sd / centre, sd / centre > limit)


def variance_ratio_limit(seeds: int, pooled_df: int, level: float = 0.01) -> float:
    """Largest ratio of sample to pooled variance that is still chance at ``level`` (F test, upper tail)."""
    if seeds < 2 or pooled_df < 1:
        raise NotApplicableError("a variance ratio needs two seeds and a pooled noise")
    return float(stats.f.ppf(1 - level, seeds - 1, pooled_df))
