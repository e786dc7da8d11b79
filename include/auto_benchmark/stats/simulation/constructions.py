"""Simulated panels whose true accuracies are known, to check what is said about constructed benchmarks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from auto_benchmark.stats.applicability import Array
from auto_benchmark.stats.objectives import Right


class Null(StrEnum):
    """Three ways in which no candidate is better than another."""

    INDEPENDENT = "independent"
    CORRELATED = "correlated errors"
    COPIES = "copies"


def null_panel(null: Null, candidates: int, items: int, rng: np.random.Generator, accuracy: float = 0.6) -> Right:
    """(candidates, items) answers of equally good candidates.

    ``CORRELATED``: families of three share what they find hard. ``COPIES``: two systems under many names.
    """
    if null is Null.INDEPENDENT:
        return np.asarray(rng.random((candidates, items)) < accuracy)
    if null is Null.COPIES:
        return np.asarray((rng.random((2, items)) < accuracy)[np.arange(candidates) % 2])
    hard = rng.normal(0, 1.5, (candidates // 3 + 1, items))[np.arange(candidates) // 3]
    together = rng.normal(0, 1, items)
    score = rng.normal(0, 1, (candidates, items)) + hard + together
    spread = np.sqrt(1 + 1.5**2 + 1)
    from scipy.stats import norm

    return np.asarray(score < spread * norm.ppf(accuracy))


def panel_with_gap(
    gap: float, candidates: int, items: int, rng: np.random.Generator, accuracy: float = 0.55
) -> Right:
    """As :data:`Null.INDEPENDENT`, but the last candidate is better by ``gap``."""
    p = np.full(candidates, accuracy)
    p[-1] += gap
    return np.asarray(rng.random((candidates, items)) < p[:, None])


@dataclass(frozen=True, slots=True)
class SimulatedPanel:
    """Candidates of known ability and items of known difficulty (Rasch 1960).

    Attributes:
        ability: of each candidate, in logits.
        item_sd: spread of the items' difficulty around their description's, in logits.
    """

    ability: Array
    item_sd: float = 1.0

    def accuracies(self, difficulty: float, ability: Array | None = None) -> Array:
        """True accuracies on a description of this difficulty: the mean over its items (Gauss-Hermite)."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(31)
        who = self.ability if ability is None else ability
        logits = who[:, None] - difficulty - self.item_sd * nodes
        return np.asarray((1 / (1 + np.exp(-logits))) @ (weights / weights.sum()))

    def answers(self, difficulty: float, items: int, rng: np.random.Generator) -> Right:
        """(candidates, items) answers on fresh items of a description."""
        hard = difficulty + self.item_sd * rng.standard_normal(items)
        return np.asarray(rng.random((len(self.ability), items)) < 1 / (1 + np.exp(hard - self.ability[:, None])))
