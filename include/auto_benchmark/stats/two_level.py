"""Noise from seeds and from items at once: a crossed seed x item layout.

Model: y[s, i] = mean + seed[s] + item[i] + rest[s, i]. Fresh seeds average ``seed`` and ``rest`` out, never ``item``:
every seed meets the same questions. The variance components are the expected mean squares of the two-way layout
without replication (Searle, Casella & McCulloch, *Variance Components*, 1992, ch. 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from auto_benchmark.stats.applicability import Array, NotApplicableError


@dataclass(frozen=True, slots=True)
class ItemNoise:
    """What the choice of items adds to the variance of a difference of means.

    Attributes:
        variance: of the difference of means over ``items`` items, in the metric's unit squared; seeds do not reduce
            it.
        items: number of items that both sides share.
        discordance: mean squared persistent difference per item; for right/wrong items the share of items on which
            the two configurations persistently differ.
    """

    variance: float
    items: int
    discordance: float

    def variance_at(self, items: int) -> float:
        """The same noise on a benchmark of another size."""
        return self.variance * self.items / items


def item_noise(candidate: Any, control: Any) -> ItemNoise:
    """Estimate item noise of candidate minus control.

    Args:
        candidate: scores, shape (seeds, items), the items in the same order as the control's.
        control: scores, shape (seeds, items).

    The variance over items of the seed-averaged difference holds the persistent part and what is left of the
    seed-by-item rest, s_rest^2 / seeds; the rest is already part of the noise between seeds, so it is subtracted
    where two seeds allow its estimation and kept (erring towards caution) where they do not.

    Raises:
        NotApplicableError: fewer than two items or no seeds.
    """
    ours, theirs = np.asarray(candidate, np.float64), np.asarray(control, np.float64)
    if ours.ndim != 2 or theirs.ndim != 2 or ours.shape[1] != theirs.shape[1]:
        raise NotApplicableError("item scores must be two seed x item tables over the same items")
    if min(ours.shape[0], theirs.shape[0]) < 1 or ours.shape[1] < 2:
        raise NotApplicableError("item noise needs at least one seed on each side and two items")
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        raise NotApplicableError("an item score is not finite")
    items = ours.shape[1]
    differences = ours.mean(axis=0) - theirs.mean(axis=0)
    between = float(differences.var(ddof=1))
    rest = _rest_variance(ours) / ours.shape[0] + _rest_variance(theirs) / theirs.shape[0]
    persistent = max(between - rest, 0.0)
    return ItemNoise(persistent / items, items, persistent + float(differences.mean()) ** 2)


def _rest_variance(scores: Array) -> float:
    """Mean square of the seed-by-item residual; 0 with one seed, where it cannot be told from item noise."""
    seeds, items = scores.shape
    if seeds < 2:
        return 0.0
    centred = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    return float((centred**2).sum() / ((seeds - 1) * (items - 1)))
