"""Alpha wealth over a stream of hypotheses: LORD++ (Ramdas et al. 2017; Javanmard & Montanari 2018).

Level of test t: g(t) w0 + (a - w0) g(t - t1) + a sum_{j >= 2} g(t - tj), where tj are the times of earlier
discoveries and g is any sequence that does not increase and sums to one. Here g(j) = j^-1.3 / zeta(1.3): the authors'
own sequence leaves four fifths of the wealth to tests beyond the hundredth (scenario-60: true gain 9.6 instead of
10.4). For independent p values the false share of all discoveries stays below a in expectation; tests that share one
control are not independent, so the rule is a budget here and its false share is simulated (docs/statistics.md).

Several sources share one budget: each has a stream of its own, with its share p of w0 and of a, and p sums to one. What
LORD++ holds in each stream, sum of levels <= p a max(discoveries there, 1), sums to the same bound for all of them,
sum of levels <= a max(discoveries, 1), and w0 before the first. So the total is as before, and no source spends
another's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import zeta

from auto_benchmark.stats.applicability import Array, NotApplicableError

FALSE_SHARE = 0.2
INITIAL_SHARE = 0.5
EXPONENT = 1.3
LARGEST_LEVEL = 0.025
"""However rich the stream is, one hypothesis never gets more than the level of a single test."""
SMALLEST_LEFT = 1e-12
"""What is left counts as this much at least, so that a level is one."""


def spending(length: int) -> Array:
    """g(1), ..., g(length)."""
    j = np.arange(1, length + 1, dtype=np.float64)
    return np.asarray(j**-EXPONENT / zeta(EXPONENT), np.float64)


@dataclass(slots=True)
class LordStreams:
    """Many streams side by side, as the simulation needs them.

    Attributes:
        streams: number of streams.
        length: tests per stream.
        target: wanted false share ``a``.
        initial: ``w0``.
    """

    streams: int
    length: int
    target: float = FALSE_SHARE
    initial: float = FALSE_SHARE * INITIAL_SHARE
    _levels: Array = field(init=False)
    _found: NDArray[np.int64] = field(init=False)
    _gamma: Array = field(init=False)

    def __post_init__(self) -> None:
        if not 0 < self.initial <= self.target < 1:
            raise NotApplicableError("alpha wealth needs 0 < initial wealth <= target < 1")
        self._gamma = spending(self.length)
        self._levels = np.tile(self._gamma * self.initial, (self.streams, 1))
        self._found = np.zeros(self.streams, np.int64)

    def level(self, test: int) -> Array:
        """Level of test number ``test`` (from 0) in every stream."""
        return np.minimum(self._levels[:, test], LARGEST_LEVEL)

    def record(self, test: int, discovered: NDArray[np.bool_]) -> None:
        """Credit the streams in which this test was a discovery."""
        reward = np.where(self._found == 0, self.target - self.initial, self.target)
        rest = self.length - test - 1
        self._levels[:, test + 1 :] += np.where(discovered, reward, 0.0)[:, None] * self._gamma[:rest]
        self._found += discovered


@dataclass(frozen=True, slots=True)
class Wealth:
    """What a stream may still spend.

    Attributes:
        next_level: level of the next hypothesis.
        remaining: wealth left: initial + rewards - levels spent so far.
        tests: hypotheses decided.
        discoveries: how many of them were promotions.
    """

    next_level: float
    remaining: float
    tests: int
    discoveries: int


def wealth(
    decisions: Sequence[bool], *, target: float = FALSE_SHARE, initial: float = FALSE_SHARE * INITIAL_SHARE
) -> Wealth:
    """Wealth after a stream of decisions in the order in which they fell; True is a discovery."""
    streams = LordStreams(1, len(decisions) + 1, target, initial)
    spent, rewards = 0.0, 0.0
    for i, discovered in enumerate(decisions):
        spent += float(streams.level(i)[0])
        if discovered:
            rewards += target - initial if rewards == 0 else target
        streams.record(i, np.array([discovered]))
    return Wealth(
        float(streams.level(len(decisions))[0]), initial + rewards - spent, len(decisions), sum(map(bool, decisions))
    )


@dataclass(frozen=True, slots=True)
class LevelSpent:
    """One hypothesis of a stream that has ended: whose it was, at which level, and whether it was a discovery."""

    source: str
    level: float
    discovered: bool


def shared_wealth(
    ended: Sequence[LevelSpent],
    source: str,
    share: float,
    *,
    target: float = FALSE_SHARE,
    initial: float = FALSE_SHARE * INITIAL_SHARE,
) -> Wealth:
    """Wealth of one source of a stream that several share.

    The next level is what LORD++ grants on the source's own stream, and at most half of what everything that was really
    spent has left of the whole. The second never binds while shares stay as they are; it holds the bound when they
    have been changed on the way.

    Args:
        ended: all sources' hypotheses, in the order in which they ended.
        source: whose wealth.
        share: of the whole, between 0 and 1.
        target: of all sources together.
        initial: of all sources together.
    """
    own = wealth(
        [one.discovered for one in ended if one.source == source], target=target * share, initial=initial * share
    )
    left = remaining(ended, target=target, initial=initial)
    return Wealth(min(own.next_level, max(left, SMALLEST_LEFT) / 2), own.remaining, own.tests, own.discoveries)


def remaining(
    ended: Sequence[LevelSpent], *, target: float = FALSE_SHARE, initial: float = FALSE_SHARE * INITIAL_SHARE
) -> float:
    """What all sources together have left: initial + rewards - levels that were spent."""
    discoveries = sum(one.discovered for one in ended)
    return (target * discoveries if discoveries else initial) - sum(one.level for one in ended)
