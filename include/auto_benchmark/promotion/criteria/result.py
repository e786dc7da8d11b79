"""What a criterion found."""

from __future__ import annotations

from dataclasses import dataclass

from auto_benchmark.promotion.decision import Criterion


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """A criterion's row, and whether more seeds could not change a failure."""

    row: Criterion
    for_good: bool = False


def plain(value: float) -> float:
    """Twelve significant digits: beyond them the last bits of a platform's mathematics library would show."""
    return float(f"{value:.12g}") + 0.0
