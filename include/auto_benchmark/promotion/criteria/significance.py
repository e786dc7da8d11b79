"""Criterion 2: p < .05 by the policy's test; the paired t test stands beside it as information."""

from __future__ import annotations

from auto_benchmark.promotion.comparison import Comparison
from auto_benchmark.promotion.criteria.result import CriterionResult, plain
from auto_benchmark.promotion.measurement import Measurement
from auto_benchmark.promotion.schema import Criterion
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.paired import attainable_p, paired_t


def significance(measured: Measurement, compared: Comparison | None, alpha: float, why_not: str) -> CriterionResult:
    """Two-sided p against twice the one-sided level, so that .025 one sided reads as the usual .05.

    Args:
        measured: both sides.
        compared: the policy's test; None when no test is possible, then no p is shown.
        alpha: one-sided level.
        why_not: reason for the absence of a test.
    """
    if compared is None:
        row = Criterion(
            name="significance", value=None, threshold=plain(2 * alpha), passed=False, reason=f"no test: {why_not}"
        )
        return CriterionResult(row)
    p = None if compared.p is None else min(1.0, 2 * compared.p)
    shown = "no p yet" if p is None else f"p = {p:.3g}"
    row = Criterion(
        name="significance",
        value=None if p is None else plain(p),
        threshold=plain(2 * compared.alpha),
        passed=compared.significant,
        reason=f"{shown}; {compared.method}; for information: {paired_information(measured)}",
    )
    return CriterionResult(row)


def paired_information(measured: Measurement) -> str:
    """The mission's paired t test over common seeds, and what signs alone could at best have shown."""
    pairs = measured.pairs
    try:
        result = paired_t(pairs.differences, scale=measured.scale)
    except NotApplicableError as error:
        return f"no paired t test ({error})"
    return (
        f"paired t on {result.pairs} common seeds p = {result.p:.3g} "
        f"(a sign-flip test on them reaches {attainable_p(result.pairs):.3g} at best)"
    )
