"""One-sided non-inferiority: the confidence bound, not the point, must stay within the margin (Schuirmann 1987).

Welch's standard error. A side with a single trial, or without variance, borrows the other side's variance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from auto_benchmark.stats.applicability import Array, NotApplicableError, sample
from auto_benchmark.stats.intervals import welch_degrees


@dataclass(frozen=True, slots=True)
class NonInferiority:
    """How much worse the candidate is, in the metric's unit (negative: better).

    Attributes:
        worse: point estimate.
        upper: one-sided upper confidence bound of it.
        lower: one-sided lower confidence bound of it.
        margin: the largest loss that is tolerated.
    """

    worse: float
    upper: float
    lower: float
    margin: float

    @property
    def shown(self) -> bool:
        """Not inferior, with confidence."""
        return self.upper <= self.margin

    @property
    def refuted(self) -> bool:
        """Inferior, with confidence: more seeds will not help."""
        return self.lower > self.margin


def non_inferiority(
    candidate: Sequence[float] | Array,
    control: Sequence[float] | Array,
    *,
    margin: float,
    higher_is_better: bool,
    confidence: float = 0.95,
    pooled: tuple[float, int] | None = None,
) -> NonInferiority:
    """Test that the candidate is worse by at most ``margin``.

    Args:
        candidate: one value per trial.
        control: one value per trial.
        margin: tolerated loss in the metric's unit.
        higher_is_better: direction of the metric.
        confidence: of each one-sided bound.
        pooled: standard deviation and degrees of freedom from past trials, used instead where they are larger in df.

    Raises:
        NotApplicableError: an empty side, or one trial on both sides without a pooled noise.
    """
    a, b = sample(candidate, 1, "candidate trials"), sample(control, 1, "control trials")
    worse = float(b.mean() - a.mean()) if higher_is_better else float(a.mean() - b.mean())
    error, df = _standard_error(a, b, pooled)
    half = float(stats.t.ppf(confidence, df)) * error if error > 0 else 0.0
    return NonInferiority(worse, worse + half, worse - half, margin)


def _standard_error(a: Array, b: Array, pooled: tuple[float, int] | None) -> tuple[float, float]:
    if pooled is not None and pooled[1] >= a.size + b.size - 2:
        return pooled[0] * math.sqrt(1 / a.size + 1 / b.size), float(pooled[1])
    if a.size + b.size < 3:
        raise NotApplicableError("one trial on each side shows no spread, so no bound can be given")
    if min(a.size, b.size) < 2:
        rich = a if a.size > 1 else b
        return float(rich.std(ddof=1)) * math.sqrt(1 / a.size + 1 / b.size), float(rich.size - 1)
    va, vb = float(a.var(ddof=1)) / a.size, float(b.var(ddof=1)) / b.size
    if va + vb == 0:
        return 0.0, 1.0
    return float(np.sqrt(va + vb)), welch_degrees(va, a.size, vb, b.size)
