"""Draws of a scenario, and the ledger in which a policy's promotions and trials are counted.

All streams of a scenario run side by side: every array has one element per stream.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from auto_benchmark.stats.applicability import Array
from auto_benchmark.stats.simulation.scenario import Scenario

Mask = NDArray[np.bool_]


class Stream:
    """True effects and noise. Effects are the same for every policy, noise is each policy's own."""

    def __init__(self, scenario: Scenario, policy: str) -> None:
        self.scenario = scenario
        self.streams = scenario.repetitions
        self.effects = _effects(scenario)
        self._rng = np.random.default_rng([scenario.seed, 1, *policy.encode()])

    def noise(self, trials: int) -> Array:
        """Trials of standard deviation one, shape (streams, trials)."""
        shape = (self.streams, trials)
        if self.scenario.distribution == "normal":
            return self._rng.standard_normal(shape)
        if self.scenario.distribution == "t3":
            return np.asarray(self._rng.standard_t(3, shape) / math.sqrt(3.0), np.float64)
        return np.asarray((self._rng.standard_gamma(2.0, shape) - 2.0) / math.sqrt(2.0), np.float64)

    def candidate(self, hypothesis: int, trials: int) -> tuple[Array, Array]:
        """A candidate's trials relative to production on these items.

        Returns:
            scores, shape (streams, trials), and the mean that more trials would converge to, shape (streams,): true
            effect and luck on these items.
        """
        centre = self.effects[:, hypothesis].copy()
        if self.scenario.item_sd > 0:
            centre += self.scenario.item_sd * self._rng.standard_normal(self.streams)
        return self.noise(trials) * self.scenario.candidate_sd + centre[:, None], centre


def _effects(scenario: Scenario) -> Array:
    rng = np.random.default_rng([scenario.seed, 0])
    shape = (scenario.repetitions, scenario.hypotheses)
    edges = np.cumsum([effect.share for effect in scenario.effects])
    kind = np.minimum(np.searchsorted(edges, rng.random(shape) * edges[-1], side="right"), len(edges) - 1)
    low = np.array([effect.low for effect in scenario.effects])[kind]
    high = np.array([effect.high for effect in scenario.effects])[kind]
    return np.asarray(low + (high - low) * rng.random(shape), np.float64)


class Ledger:
    """What a policy spent and won, per stream."""

    def __init__(self, stream: Stream) -> None:
        self._effects = stream.effects
        zeros = np.zeros(stream.streams)
        self.trials, self.true_gain, self.claimed_gain = zeros.copy(), zeros.copy(), zeros.copy()
        self.promoted, self.false = zeros.copy(), zeros.copy()
        self.null_promotions = 0

    def promote(self, hypothesis: int, promoted: Mask, claimed: Array) -> None:
        """Count the streams in which this hypothesis was promoted, and what was claimed for it."""
        effect = self._effects[:, hypothesis]
        self.true_gain += np.where(promoted, effect, 0.0)
        self.claimed_gain += np.where(promoted, claimed, 0.0)
        self.promoted += promoted
        self.false += promoted & (effect <= 0)
        self.null_promotions += int(np.count_nonzero(promoted & (effect == 0)))

    @property
    def nulls(self) -> int:
        """Number of hypotheses without effect in all streams together."""
        return int(np.count_nonzero(self._effects == 0))
