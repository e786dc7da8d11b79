"""Two descriptions mixed so that the best candidate's error reaches a target."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auto_benchmark.stats.applicability import Array
from auto_benchmark.stats.objectives import Right

MARGIN = 0.2
"""How far from the target the ends of a mixture should lie: pilot items miss difficulty by a tenth, and a target between the
ends can be met, one beyond both cannot."""
FOLDS = 10
SHARES = 1001
"""Mixtures that are tried."""


def ends_around(
    difficulties: Sequence[float], target: float, other: Sequence[float] | None = None
) -> tuple[int, int]:
    """Indices of an easier and a harder description, each about :data:`MARGIN` from the target.

    Where all lie on one side, the one nearest to the target stands for the other side, too.

    Args:
        difficulties: of the descriptions.
        target: between them.
        other: what else each is worth by the declared weights, in units of difficulty; it makes up for as much distance.
    """
    worth = other or [0.0] * len(difficulties)
    every = range(len(difficulties))

    def best(aim: float, among: Sequence[int]) -> int:
        return max(among or every, key=lambda i: worth[i] - abs(difficulties[i] - aim))

    easier = [i for i in every if difficulties[i] <= target]
    harder = [i for i in every if difficulties[i] > target]
    return best(target - MARGIN if easier else target, easier), best(target + MARGIN if harder else target, harder)


def by_fold(right: Right, folds: int = FOLDS) -> Array:
    """(folds, candidates) accuracies; item *i* is in fold *i* modulo their number."""
    return np.stack([right[:, k::folds].mean(axis=1) for k in range(folds)])


def mixing_share(easy: Array, hard: Array, weights: Array, target: float) -> float:
    """Share of hard items at which the best candidate's error over all subtasks is nearest to the target.

    The best one is chosen on all folds but one and measured on that one. The greatest of several accuracies on the same
    items would be too great, and a benchmark tuned by it too hard for the next candidate; chosen on half of the items, it
    is too often not the best, and the benchmark too easy.

    Args:
        easy: (folds, subtasks, candidates) accuracies of the easier description of each subtask.
        hard: the same of the harder one.
        weights: of the subtasks, with sum 1.
        target: error of the best candidate.

    Returns:
        In [0, 1]; an end where the target lies outside.
    """
    shares = np.linspace(0, 1, SHARES)
    ends = [np.einsum("s,fsc->fc", weights, side) for side in (easy, hard)]
    mixed = (1 - shares)[:, None, None] * ends[0] + shares[:, None, None] * ends[1]
    best = (mixed.sum(axis=1, keepdims=True) - mixed).argmax(axis=2)
    errors = 1 - np.take_along_axis(mixed, best[:, :, None], axis=2)[:, :, 0].mean(axis=1)
    return float(shares[np.abs(errors - target).argmin()])
