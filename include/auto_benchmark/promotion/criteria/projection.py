"""Criterion 5: promoted and submitted, would we reach or exceed #1? A probability, not a comparison of points."""

from __future__ import annotations

import math

from scipy import stats

from auto_benchmark.promotion.criteria.result import CriterionResult, plain
from auto_benchmark.promotion.measurement import Measurement
from auto_benchmark.promotion.offset import Offset
from auto_benchmark.promotion.schema import Criterion, Evidence

LIKELY = 0.5


def projection(measured: Measurement, evidence: Evidence, offset: Offset | None) -> CriterionResult:
    """P(#1) >= 1/2: candidate's mean plus the learned offset against the leader's score."""
    if evidence.leader_score is None:
        row = Criterion(name="projection", value=None, threshold=None, passed=True, reason="no board to project onto")
        return CriterionResult(row)
    shift = offset.mean if offset else 0.0
    expected = float(measured.ours.mean()) + shift
    lead = measured.sign * (expected - evidence.leader_score)
    p = _probability(lead, _projection_sd(measured, offset), offset, measured.scale)
    learned = (
        f"offset {shift:+.4g} learned from {offset.n} submission{'s' if offset.n > 1 else ''}"
        if offset
        else "no submission yet, offset taken as 0"
    )
    row = Criterion(
        name="projection",
        value=plain(p),
        threshold=LIKELY,
        passed=p >= LIKELY,
        reason=f"P(#1) = {p:.2f}: {expected:.6g} expected, the leader has {evidence.leader_score:.6g} ({learned})",
    )
    return CriterionResult(row)


def _projection_sd(measured: Measurement, offset: Offset | None) -> float:
    seeds = measured.candidate_variance / measured.n if measured.pool else 0.0
    submissions = offset.sd**2 * (1 + 1 / offset.n) if offset else 0.0
    return math.sqrt(seeds + measured.own_items + submissions)


def _probability(lead: float, sd: float, offset: Offset | None, scale: float) -> float:
    if abs(lead) <= 1e-9 * scale:
        return 0.5  # reaching #1 counts, and rounding must not decide
    if sd == 0:
        return 1.0 if lead > 0 else 0.0
    if offset and offset.n > 1:
        return float(stats.t.cdf(lead / sd, offset.n - 1))
    return float(stats.norm.cdf(lead / sd))
