"""What would have been predicted for a past night, from the evidence of a decision that was known by then."""

from __future__ import annotations

from dataclasses import replace

from auto_benchmark.promotion.gate import Case
from auto_benchmark.promotion.measurement import measure
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.simulation.night import Night, outlook


def predicted(case: Case, plan: Night) -> float | None:
    """Probability that the night promotes something; None where the decision knew no noise.

    Noise between seeds, item noise, size of the control, threshold and level are what the gate had at that
    decision; numbers are rounded to two digits, so that nights which differ by less are simulated once.

    Args:
        case: of the decision.
        plan: hypotheses, trials and effects of a night.
    """
    evidence = case.evidence
    if not evidence.candidate or not evidence.control:
        return None
    measured = measure(evidence)
    if measured.pool is None:
        return None
    night = replace(
        plan,
        sd=_two_digits(measured.pool.sd),
        threshold=evidence.promotion_threshold,
        item_variance=_two_digits(measured.item_variance),
        control=measured.m,
        alpha=_two_digits(case.alpha),
    )
    try:
        return outlook(night).promotes
    except NotApplicableError:
        return None


def _two_digits(value: float) -> float:
    return float(f"{value:.2g}")
