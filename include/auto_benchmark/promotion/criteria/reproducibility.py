"""Criterion 4: three or more seeds that agree: std < 0.5 % of the mean, or the noise that production shows.

And no more of them fail than production's.
"""

from __future__ import annotations

import math

from auto_benchmark.promotion.criteria.result import CriterionResult, plain
from auto_benchmark.promotion.measurement import Measurement
from auto_benchmark.promotion.schema import Criterion, Evidence
from auto_benchmark.stats.high_variance import variance_ratio_limit
from auto_benchmark.stats.looks import PROMOTE_FROM

RELATIVE_LIMIT = 0.005
"""The mission's rule: standard deviation as a share of the mean."""


def reproducibility(measured: Measurement) -> CriterionResult:
    """The mission's rule where it can tell good from bad, a variance ratio where it cannot.

    The rule depends on the unit: it refuses every configuration on a noisy metric, production included, and anything
    near zero. It binds where production's own noise uses at most half of the limit; elsewhere a candidate is
    reproducible when its variance is no larger than the noise model allows (F test at 1 %).
    """
    n = measured.n
    if n < PROMOTE_FROM:
        return CriterionResult(_row(None, RELATIVE_LIMIT, False, f"{n} of at least {PROMOTE_FROM} seeds"))
    sd, mean = float(measured.ours.std(ddof=1)), abs(float(measured.ours.mean()))
    if sd == 0:
        return CriterionResult(_row(0.0, RELATIVE_LIMIT, True, f"{n} seeds without any spread"))
    if mean > 0 and sd / mean < RELATIVE_LIMIT:
        reason = f"{n} seeds, std {sd:.4g} is {100 * sd / mean:.2f} % of the mean"
        return CriterionResult(_row(sd / mean, RELATIVE_LIMIT, True, reason))
    reference, df = _reference(measured)
    if reference == 0 == mean:
        reason = f"{n} seeds, std {sd:.4g} around a mean of 0, where no other noise is known"
        return CriterionResult(_row(None, RELATIVE_LIMIT, False, reason))
    if reference <= RELATIVE_LIMIT / 2 * mean:
        reason = (
            f"{n} seeds, std {sd:.4g} is {100 * sd / mean:.2f} % of the mean, "
            f"production's is {100 * reference / mean:.2f} %"
        )
        return CriterionResult(_row(sd / mean, RELATIVE_LIMIT, False, reason))
    limit = math.sqrt(variance_ratio_limit(n, df))
    ratio = sd / reference
    reason = (
        f"{n} seeds, std {sd:.4g} is {ratio:.2f} times the known noise {reference:.4g} (limit {limit:.2f}); "
        f"0.5 % of the mean says nothing on this scale"
    )
    return CriterionResult(_row(ratio, limit, ratio <= limit, reason))


def failing(evidence: Evidence) -> CriterionResult | None:
    """The row of a candidate of whose seeds a larger share fails than of production's; None of any other.

    All seeds count, as in an analysis by intention to treat (ICH E9, section 5.2.1): leaving out those that failed
    would judge a configuration by its lucky seeds. Where production has never failed, no further seed can mend it.
    """
    ours, theirs = evidence.candidate_failures, evidence.control_failures
    if ours is None or theirs is None or ours.rate <= theirs.rate:
        return None
    reason = (
        f"{ours.failed} of {ours.seeds} seeds failed, {theirs.failed} of {theirs.seeds} of production's: "
        "seeds without a score count too"
    )
    return CriterionResult(_row(ours.rate, theirs.rate, False, reason), for_good=not theirs.failed)


def _reference(measured: Measurement) -> tuple[float, int]:
    """Noise to compare with: the pool, or the control alone where the pool holds the candidate itself."""
    if measured.pool is not None and not measured.own_noise:
        return measured.pool.sd, measured.pool.df
    if measured.m > 1 and (sd := float(measured.theirs.std(ddof=1))) > 0:
        return sd, measured.m - 1
    return (measured.pool.sd, measured.pool.df) if measured.pool else (0.0, 1)


def _row(value: float | None, threshold: float, passed: bool, reason: str) -> Criterion:
    return Criterion(
        name="reproducibility",
        value=None if value is None else plain(value),
        threshold=plain(threshold),
        passed=passed,
        reason=reason,
    )
