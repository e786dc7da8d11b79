"""Agreement between raters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from auto_benchmark.stats.applicability import NotApplicableError


def krippendorff_alpha(ratings: Sequence[Sequence[bool | None]]) -> float:
    """Krippendorff's alpha for nominal ratings with gaps (Krippendorff 2019, ch. 12): 1 - observed / expected disagreement.

    Args:
        ratings: (raters, items); None where a rater says nothing.

    Raises:
        NotApplicableError: no item with two ratings, or all ratings equal: there is nothing to agree about.
    """
    units = [[value for value in unit if value is not None] for unit in zip(*ratings, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    if not units:
        raise NotApplicableError("no item has two ratings")
    totals = Counter(value for unit in units for value in unit)
    n = totals.total()
    if len(totals) < 2:
        raise NotApplicableError("all ratings are equal")
    observed = sum(
        sum(count * (len(unit) - count) for count in Counter(unit).values()) / (len(unit) - 1) for unit in units
    )
    expected = sum(count * (n - count) for count in totals.values()) / (n - 1)
    return 1 - observed / expected
