"""Holm's step-down correction of one family of tests (Holm 1979)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from auto_benchmark.stats.applicability import NotApplicableError


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Adjusted p per test name, in the order given; compare them with the family's level.

    Raises:
        NotApplicableError: a p value is not a number between 0 and 1.
    """
    for name, value in p_values.items():
        if not 0 <= value <= 1:
            raise NotApplicableError(f"{name}: {value} is not a p value")
    names = list(p_values)
    p = np.array([p_values[name] for name in names], np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * (len(names) - np.arange(len(names))))
    adjusted = np.empty(len(names))
    adjusted[order] = np.minimum(steps, 1.0)
    return dict(zip(names, map(float, adjusted), strict=True))
