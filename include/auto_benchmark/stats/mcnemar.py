"""McNemar's exact test on right/wrong items (McNemar 1947): only items on which two configurations differ count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scipy import stats

from auto_benchmark.stats.applicability import NotApplicableError


@dataclass(frozen=True, slots=True)
class McNemar:
    """Items gained and lost, the exact two-sided p, and the smallest p that this many could have given."""

    gained: int
    lost: int
    p: float
    attainable: float


def mcnemar(candidate: Mapping[str, float], control: Mapping[str, float]) -> McNemar:
    """Compare one trial with one trial over their common items.

    Items of one trial share its seed: the test speaks about these two trained models, not about the configurations.

    Raises:
        NotApplicableError: an item is neither 0 nor 1, no common items, or no item differs.
    """
    common = candidate.keys() & control.keys()
    if not common:
        raise NotApplicableError("the two trials share no items")
    if any(side[i] not in (0, 1) for side in (candidate, control) for i in common):
        raise NotApplicableError("items are not right/wrong (0 or 1)")
    gained = sum(1 for i in common if candidate[i] > control[i])
    lost = sum(1 for i in common if candidate[i] < control[i])
    if gained + lost == 0:
        raise NotApplicableError("no item differs, there is nothing to test")
    p = float(stats.binomtest(gained, gained + lost, 0.5).pvalue)
    return McNemar(gained, lost, p, min(1.0, 2.0 ** (1 - gained - lost)))
