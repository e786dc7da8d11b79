"""Criterion 1: the primary metric improves by at least the promotion threshold."""

from __future__ import annotations

from auto_benchmark.contract.measured import MetricSource, shown_name
from auto_benchmark.promotion.comparison import Comparison
from auto_benchmark.promotion.criteria.result import CriterionResult, plain
from auto_benchmark.promotion.measurement import Measurement
from auto_benchmark.promotion.schema import Criterion, Evidence


def improvement(measured: Measurement, compared: Comparison | None, evidence: Evidence) -> CriterionResult:
    """The estimate against the threshold; hopeless once the whole interval lies below it.

    An estimate exactly at the threshold passes: rounding of a subtraction must not decide (1e-9 of the scale).
    """
    value, threshold = measured.improvement, evidence.promotion_threshold
    passed = value >= threshold - 1e-9 * measured.scale
    shown = f"{value:+.4g}"
    if compared is not None:
        low, high = compared.interval
        shown += f" (95 % interval {low:+.4g} to {high:+.4g})"
    if evidence.source is MetricSource.SELF_REPORTED:
        shown = f"{shown_name(evidence.metric, evidence.source)}: {shown}"
    row = Criterion(
        name="improvement",
        value=plain(value),
        threshold=plain(threshold),
        passed=passed,
        reason=f"{shown}, wanted at least {threshold:+.4g}",
    )
    return CriterionResult(row, for_good=compared is not None and compared.interval[1] < threshold)
