"""Has production become worse than when it was promoted? Watch, confirm on fresh trials, name what may be the cause.

A change-point rule that looks at every cycle rings now and then; an alarm is therefore only a reason to run fresh
trials, and people hear of it once those confirm the loss. The level of the confirmations is spent over all that a
metric may ever need (Bonferroni): the j-th fresh sample is independent of what rang, so the chance that clean
production is ever reported is at most FALSE_ALERTS a metric, however many cycles pass and however often it rings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from scipy import stats

from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.intervals import welch_interval
from auto_benchmark.stats.noise import PooledNoise
from auto_benchmark.stats.regression import cusum

LIMIT = 6.0
"""Alarm limit of the CUSUM: with the allowance below it rings less than once in 2,000 quiet trials."""
LEAST_BASELINE = 5
FALSE_ALERTS = 0.001
"""Chance that a metric of a clean configuration is ever reported, over all cycles of its life."""
PROMISE_Z = 3.0
"""One-sided 0.13 % for each board score that is compared with its promise."""
CAUSES = {
    "code": "the solution's code changed",
    "lock": "the dependency lock changed",
    "data": "the benchmark's declared data changed",
    "inputs": "a data file on disk changed",
    "python": "the Python version changed",
    "cpu": "the hardware changed",
    "machine": "the hardware changed",
    "runner": "trials run in another place",
}


@dataclass(frozen=True, slots=True)
class Watched:
    """One metric of production over time.

    Attributes:
        tolerated: loss that does not matter, in the metric's unit.
        baseline: trials from before the watched ones, none of which helped to select the configuration.
        scores: later trials in the order in which they ended.
    """

    metric: str
    higher_is_better: bool
    tolerated: float
    noise: PooledNoise
    baseline: Sequence[float]
    scores: Sequence[float]


@dataclass(frozen=True, slots=True)
class Loss:
    """How much worse fresh trials are; ``confirmed`` when noise cannot explain the loss and it matters.

    ``z``: loss by its standard error; ``limit``: what it had to reach.
    """

    metric: str
    baseline: float
    fresh: float
    loss: float
    z: float
    limit: float
    confirmed: bool


def rings(watched: Watched) -> bool:
    """Whether the CUSUM of the watched trials is above its limit at the end.

    Its allowance is half of the loss to find (Page 1954): one standard deviation, or the tolerated loss if larger.
    """
    if len(watched.baseline) < LEAST_BASELINE or not watched.scores:
        return False
    sought = max(1.0, watched.tolerated / watched.noise.sd) if watched.noise.sd > 0 else 1.0
    try:
        state = cusum(
            watched.scores, baseline=fmean(watched.baseline), noise=watched.noise,
            higher_is_better=watched.higher_is_better, allowance=sought / 2, limit=LIMIT,
        )  # fmt: skip
    except NotApplicableError:
        return False
    return state.alarm_at is not None and state.statistic > state.limit


def confirm(watched: Watched, fresh: Sequence[float], *, earlier: int = 0) -> Loss:
    """Compare trials that had no part in the alarm with the baseline.

    Args:
        watched: the metric.
        fresh: its values on seeds that were run after the alarm.
        earlier: alarms of this metric that fresh trials have refuted already.

    Raises:
        ValueError: without fresh trials.
    """
    if not fresh:
        raise ValueError("a confirmation needs fresh trials")
    sign = 1.0 if watched.higher_is_better else -1.0
    base, now = fmean(watched.baseline), fmean(fresh)
    loss = sign * (base - now)
    error = watched.noise.sd * math.sqrt(1 / len(watched.baseline) + 1 / len(fresh))
    z = loss / error if error > 0 else math.copysign(1e9, loss) if loss else 0.0
    limit = confirmation_limit(earlier + 1, watched.noise.df)
    return Loss(watched.metric, base, now, loss, z, limit, z >= limit and loss > watched.tolerated)


def confirmation_limit(attempt: int, df: int) -> float:
    """What loss / standard error must reach at the ``attempt``-th confirmation of a metric.

    Student's quantile at the noise's degrees of freedom; the levels 6 / (pi j)^2 x FALSE_ALERTS add up to FALSE_ALERTS.
    """
    level = FALSE_ALERTS * 6 / (math.pi * attempt) ** 2
    return float(stats.t.ppf(1 - level, df))


def repairs(previous: Sequence[float], present: Sequence[float], *, tolerated: float, higher_is_better: bool) -> bool:
    """Whether the configuration before is better today: by more than what matters, and by more than noise.

    Welch's one-sided bound at 5 %; without any variance the means alone decide. One trial shows nothing.
    """
    sign = 1.0 if higher_is_better else -1.0
    if min(len(previous), len(present)) < 2 or sign * (fmean(previous) - fmean(present)) <= tolerated:
        return False
    try:
        low, high = welch_interval(previous, present, level=0.90)
    except NotApplicableError:
        return True
    return (low if higher_is_better else -high) > 0


def causes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What differs between the environment of the baseline and the present one, in words."""
    changed = [key for key in CAUSES if key in before and key in now and before[key] != now[key]]
    found = [f"{CAUSES[key]} ({key}: {before[key]} -> {now[key]})" for key in changed]
    return found or ["nothing that is recorded changed: code, data, dependencies and hardware are as before"]


def broken_promise(promised: float, scored: float, *, error: float, higher_is_better: bool) -> float | None:
    """By how much a board's score is below what was promised; None while noise explains it.

    Args:
        promised: expected score, the learned offset between our split and the board included.
        scored: the board's.
        error: standard error of their difference.
        higher_is_better: direction.
    """
    missing = promised - scored if higher_is_better else scored - promised
    return missing if missing > PROMISE_Z * error else None
