"""Has production got worse? Page's CUSUM over defense trials, and an SPRT for a stated loss.

Both need the noise between seeds to be known and the baseline window to end before the watched trials begin. An alarm
is a reason to run fresh trials in a fresh container, not yet a regression.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from auto_benchmark.stats.applicability import Array, NotApplicableError, sample
from auto_benchmark.stats.noise import ENOUGH_DF, PooledNoise


@dataclass(frozen=True, slots=True)
class Cusum:
    """State after the last trial.

    Attributes:
        statistic: accumulated loss in standard deviations.
        limit: alarm above this.
        alarm_at: index of the first trial at which the alarm rang; None while it has not.
        since: index of the trial with which the current excursion began, the likely time of the change.
    """

    statistic: float
    limit: float
    alarm_at: int | None
    since: int | None


def _standardised_losses(
    scores: Sequence[float] | Array, baseline: float, noise: PooledNoise, higher_is_better: bool
) -> Array:
    x = sample(scores, 1, "defense trials")
    if noise.sd <= 0 or noise.df < ENOUGH_DF:
        raise NotApplicableError(f"regression needs a noise with at least {ENOUGH_DF} degrees of freedom")
    sign = -1.0 if higher_is_better else 1.0
    return sign * (x - baseline) / noise.sd


def cusum(
    scores: Sequence[float] | Array,
    *,
    baseline: float,
    noise: PooledNoise,
    higher_is_better: bool = True,
    allowance: float = 0.5,
    limit: float = 4.77,
) -> Cusum:
    """One-sided CUSUM (Page 1954): C = max(0, C + loss - allowance), alarm above ``limit``.

    Allowance 0.5 and limit 4.77 are tuned to a loss of one standard deviation and ring about once in 740 quiet trials
    (Hawkins & Olwell 1998).

    Raises:
        NotApplicableError: no trials, a value that is not finite, or a noise with too few degrees of freedom.
    """
    level, alarm_at, start = 0.0, None, None
    for i, loss in enumerate(_standardised_losses(scores, baseline, noise, higher_is_better)):
        level = max(0.0, level + float(loss) - allowance)
        start = None if level == 0 else (i if start is None else start)
        if level > limit and alarm_at is None:
            alarm_at = i
    return Cusum(level, limit, alarm_at, start)


def regression_sprt(
    scores: Sequence[float] | Array,
    *,
    baseline: float,
    noise: PooledNoise,
    loss: float,
    higher_is_better: bool = True,
    alpha: float = 0.01,
    beta: float = 0.1,
) -> Literal["regressed", "steady", "open"]:
    """Wald's SPRT of "worse by ``loss``" against "unchanged", over trials in order; the first boundary crossed wins.

    Args:
        scores: defense trials in the order in which they ran.
        baseline: production's confirmed mean.
        noise: between seeds, of one trial.
        loss: the loss that matters, in the metric's unit, greater than 0.
        higher_is_better: direction of the metric.
        alpha: probability of a false "regressed".
        beta: probability of a false "steady".
    """
    if loss <= 0:
        raise NotApplicableError("the loss to detect is greater than 0")
    size = loss / noise.sd if noise.sd > 0 else 0.0
    ratio = 0.0
    for z in _standardised_losses(scores, baseline, noise, higher_is_better):
        ratio += float(z) * size - size * size / 2
        if ratio >= math.log((1 - beta) / alpha):
            return "regressed"
        if ratio <= math.log(beta / (1 - alpha)):
            return "steady"
    return "open"
