"""Group-sequential t test for the time before the noise is known (fewer than ten degrees of freedom).

O'Brien-Fleming boundaries at 3, 5, 8 and 12 seeds by the significance-level approach: the t statistic's one-sided p
is turned into a normal quantile z, and z sqrt(n / 12) is compared with a constant (O'Brien & Fleming 1979; Jennison &
Turnbull 2000, section 3.8). The constants were calibrated by Monte Carlo over control sizes 3 to 40 and the largest
kept: ``perf/calibrate_group_sequential.py``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import ndtr, ndtri

from auto_benchmark.stats.looks import CAP, PROMOTE_FROM

CALIBRATED = ((0.10, 1.379), (0.05, 1.705), (0.025, 1.999), (0.01, 2.353), (0.005, 2.599), (0.001, 3.118))
"""One-sided level and constant."""

_LEVEL_Z = np.array([float(ndtri(1 - level)) for level, _ in CALIBRATED])
_CONSTANT = np.array([constant for _, constant in CALIBRATED])


def boundary(alpha: float) -> float:
    """Constant for any level: linear in the level's normal quantile, continued with the outermost slopes."""
    return float(_line(float(ndtri(1 - alpha)), _LEVEL_Z, _CONSTANT))


def _line(x: float, xs: Any, ys: Any) -> float:
    i = int(np.clip(np.searchsorted(xs, x), 1, len(xs) - 1))
    return float(ys[i - 1] + (x - xs[i - 1]) * (ys[i] - ys[i - 1]) / (xs[i] - xs[i - 1]))


def scaled_statistic(t: Any, df: Any, seeds: int) -> Any:
    """Normal quantile of the t statistic, on the scale of the constants. Works on arrays."""
    # the smaller tail keeps its precision: 1 - p would round to 1
    z = np.where(np.asarray(t) > 0, -ndtri(stats.t.sf(np.abs(t), df)), ndtri(stats.t.sf(np.abs(t), df)))
    return np.clip(z, -37.0, 37.0) * math.sqrt(min(seeds, CAP) / CAP)


def p_value(t: float, df: int, seeds: int) -> float:
    """One-sided sequential p: the smallest level at which this look would promote; 1 below three seeds."""
    if seeds < PROMOTE_FROM or df < 1:
        return 1.0
    z = _line(float(scaled_statistic(t, df, seeds)), _CONSTANT, _LEVEL_Z)
    return float(ndtr(-z))


def is_futile(t: float, df: int, effect: float, error: float, *, beta: float = 0.2) -> bool:
    """Whether ``effect`` is refuted at one-sided level ``beta``: t + quantile below effect / standard error."""
    if df < 1 or error <= 0:
        return False
    return t + float(stats.t.ppf(1 - beta, df)) < effect / error
