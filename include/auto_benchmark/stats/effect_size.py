"""Standardised effects. Each needs variance; without it there is no effect size, only a difference."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln

from auto_benchmark.stats.applicability import Array, NotApplicableError, is_constant, sample


def cohen_d(ours: Sequence[float] | Array, theirs: Sequence[float] | Array) -> float:
    """Difference of means / pooled standard deviation (Cohen 1988, eq. 2.5.1)."""
    a, b = sample(ours, 2, "candidate scores"), sample(theirs, 2, "control scores")
    scale = float(max(np.abs(a).max(), np.abs(b).max()))
    if is_constant(a, scale) and is_constant(b, scale):
        raise NotApplicableError("neither side varies between seeds, so there is no effect size")
    variance = ((a.size - 1) * a.var(ddof=1) + (b.size - 1) * b.var(ddof=1)) / (a.size + b.size - 2)
    return float((a.mean() - b.mean()) / math.sqrt(variance))


def hedges_g(ours: Sequence[float] | Array, theirs: Sequence[float] | Array) -> float:
    """:func:`cohen_d` without its small-sample bias (Hedges 1981, exact factor J)."""
    df = len(ours) + len(theirs) - 2
    d = cohen_d(ours, theirs)
    return d * math.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / math.sqrt(df / 2)


def cohen_dz(differences: Sequence[float] | Array, *, scale: float | None = None) -> float:
    """Mean paired difference / its standard deviation.

    Args:
        differences: one per seed.
        scale: size of the values that were subtracted, to tell rounding from variance.
    """
    d = sample(differences, 2, "paired differences")
    if is_constant(d, scale):
        raise NotApplicableError("all paired differences are equal, so there is no effect size")
    return float(d.mean() / d.std(ddof=1))
