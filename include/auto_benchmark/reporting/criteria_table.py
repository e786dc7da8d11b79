"""The gate's five criteria as a reader takes them: what each number is, and which side of its threshold is good."""

from __future__ import annotations

from typing import get_args

from auto_benchmark.promotion.schema import Criterion, CriterionName, Decision
from auto_benchmark.reporting.words import percent

WITHOUT = "—"


def value(criterion: Criterion) -> str:
    """What was found: ``+0.0494``, ``p 0.012``, ``worse by at most 0.0017``, ``0.28 % of the mean``, ``P(#1) 0.97``."""
    found = criterion.value
    if found is None:
        return WITHOUT
    if criterion.name == "improvement":
        return f"{found:+.4f}"
    if criterion.name == "no_regression":
        return f"worse by at most {_short(found)}" if found > 0 else f"better by at least {_short(-found)}"
    if criterion.name == "reproducibility":
        return f"spread {_spread(criterion, found)}"
    return f"p {found:.3g}" if criterion.name == "significance" else f"P(#1) {found:.2f}"


def threshold(criterion: Criterion) -> str:
    """What was wanted: ``≥ +0.0300``, ``≤ 0.05``."""
    wanted = criterion.threshold
    if wanted is None:
        return WITHOUT
    if criterion.name == "improvement":
        return f"≥ {wanted:+.4f}"
    if criterion.name == "no_regression":
        return f"worse by ≤ {_short(wanted)}"
    if criterion.name == "reproducibility":
        return f"≤ {_spread(criterion, wanted)}"
    return f"≤ {wanted:.3g}" if criterion.name == "significance" else f"≥ {wanted:.2f}"


def name(criterion: Criterion) -> str:
    """The criterion's name as words."""
    return criterion.name.replace("_", " ")


def failure(criterion: Criterion) -> str:
    """A criterion that did not hold, in a cell: ``improvement +0.0010, wanted ≥ +0.0050``."""
    if criterion.value is None:
        wanted = "" if criterion.threshold is None else f", wanted {threshold(criterion)}"
        return f"{name(criterion)} could not be tested{wanted}"
    return f"{name(criterion)} {value(criterion)}, wanted {threshold(criterion)}"


def not_reached(decision: Decision) -> list[str]:
    """Criteria of the gate that a decision does not hold: it ended before them."""
    there = {criterion.name for criterion in decision.criteria}
    return [each.replace("_", " ") for each in get_args(CriterionName) if each not in there]


def _spread(criterion: Criterion, number: float) -> str:
    """In the unit of the rule that was applied: a share of the mean, or a multiple of the known noise."""
    from auto_benchmark.promotion.criteria.reproducibility import RELATIVE_LIMIT

    return (
        f"{percent(number, 2)} of the mean"
        if criterion.threshold == RELATIVE_LIMIT
        else f"{number:.2f} x known noise"
    )


def _short(number: float) -> str:
    return f"{number:.4g}" if number == 0 or abs(number) >= 1e-4 else f"{number:.1e}"
