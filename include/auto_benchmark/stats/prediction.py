"""Where a new observation is to be expected, from pairs that were seen before."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy import stats

from auto_benchmark.stats.applicability import Array, NotApplicableError, is_constant, sample
from auto_benchmark.stats.intervals import Interval

LEAST_PAIRS = 3
"""Two parameters and one degree of freedom for the spread around the line."""


def prediction_interval(
    x: Sequence[float] | Array, y: Sequence[float] | Array, at: float, level: float = 0.95
) -> Interval:
    """Interval that a new ``y`` at ``at`` falls into with probability ``level``, by simple linear regression.

    With the least-squares line a + b x, S = sum (x_i - mean)² and s² = (residual sum of squares) / (n - 2)::

        a + b x0  ±  t(1 - (1 - level) / 2, n - 2) · s · sqrt(1 + 1/n + (x0 - mean)² / S)

    (Montgomery, Peck & Vining, Introduction to Linear Regression Analysis, 5th ed. 2012, equation 2.45.)

    Raises:
        NotApplicableError: fewer than three pairs, sides of different lengths, an ``x`` that is constant, or points that
            lie on the line exactly: a width of zero would claim certainty.
    """
    xs, ys = sample(x, LEAST_PAIRS, "pairs"), sample(y, LEAST_PAIRS, "pairs")
    if xs.size != ys.size or not math.isfinite(at):
        raise NotApplicableError("a prediction needs as many x as y, and a finite place")
    if is_constant(xs):
        raise NotApplicableError("all pairs have the same x: there is no line through them")
    centre, spread = float(xs.mean()), float(((xs - xs.mean()) ** 2).sum())
    slope = float(((xs - centre) * ys).sum()) / spread
    start = float(ys.mean()) - slope * centre
    residuals = ys - start - slope * xs
    df = xs.size - 2
    s = math.sqrt(float((residuals**2).sum()) / df)
    if s <= 1e-12 * max(float(abs(ys).max()), 1e-300):
        raise NotApplicableError("all pairs lie on one line: an interval of width zero would claim certainty")
    half = float(stats.t.ppf((1 + level) / 2, df)) * s * math.sqrt(1 + 1 / xs.size + (at - centre) ** 2 / spread)
    return start + slope * at - half, start + slope * at + half


def offset_interval(
    x: Sequence[float] | Array, y: Sequence[float] | Array, at: float, level: float = 0.95
) -> Interval:
    """As :func:`prediction_interval`, where ``y`` is known to be ``x`` but for an offset and noise.

    With the differences d_i = y_i - x_i and their standard deviation s::

        x0 + mean d  ±  t(1 - (1 - level) / 2, n - 1) · s · sqrt(1 + 1/n)

    Unlike a fitted line, whose slope noise in ``x`` flattens, it holds far away from the pairs too.

    Raises:
        NotApplicableError: as for :func:`prediction_interval`, but for a constant ``x``.
    """
    xs, ys = sample(x, LEAST_PAIRS, "pairs"), sample(y, LEAST_PAIRS, "pairs")
    if xs.size != ys.size or not math.isfinite(at):
        raise NotApplicableError("a prediction needs as many x as y, and a finite place")
    differences = ys - xs
    s = float(differences.std(ddof=1))
    if s <= 1e-12 * max(float(abs(ys).max()), 1e-300):
        raise NotApplicableError(
            "all pairs differ by the same amount: an interval of width zero would claim certainty"
        )
    half = float(stats.t.ppf((1 + level) / 2, xs.size - 1)) * s * math.sqrt(1 + 1 / xs.size)
    middle = at + float(differences.mean())
    return middle - half, middle + half
