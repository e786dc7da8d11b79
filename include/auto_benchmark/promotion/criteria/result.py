"""What a criterion found."""

from __future__ import annotations

from dataclasses import dataclass

from auto_benchmark.promotion.schema import Criterion


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """A criterion's row, and what stands behind a failure.

    Attributes:
        for_good: more seeds could not change it.
        is_open: nothing is known to be wrong; what would show that all is well could not be measured.
    """

    row: Criterion
    for_good: bool = False
    is_open: bool = False


def plain(value: float) -> float:
    """Twelve significant digits: beyond them the last bits of a platform's mathematics library would show."""
    return float(f"{value:.12g}") + 0.0
