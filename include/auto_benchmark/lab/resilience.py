"""How an agent takes negative feedback: pure functions of the rewards that its attempts brought.

A reward is None where the attempt was not valid. The given program is the best before the first attempt: reward 0.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from itertools import permutations
from typing import Any

Rewards = Sequence[float | None]
LEAST_GAIN = 0.005
"""Of reward, to count as better: inputs are drawn anew for each attempt, and counts move with them."""
WITHIN = 3
"""Attempts in which a failure has to be followed by a new best; and those without one before a pivot."""
MOST_COMPARED = 1_000_000
"""Pairs of lines of two texts; an attempt may be a million equal lines."""
MOST_ORDERS = 5_040
"""Orders that are all tried (7!); beyond that so many are drawn."""


def best_so_far(rewards: Rewards) -> list[float]:
    """The largest reward of the given program and all attempts up to each, shape (attempts,)."""
    best, found = 0.0, []
    for reward in rewards:
        best = max(best, reward if reward is not None else 0.0)
        found.append(best)
    return found


def area(rewards: Rewards, attempts: int) -> float:
    """Mean of the best so far over ``attempts`` attempts; those that were not made leave it as it was."""
    curve = best_so_far(rewards)[:attempts]
    last = curve[-1] if curve else 0.0
    return math.fsum([*curve, *[last] * (attempts - len(curve))]) / attempts if attempts else 0.0


def closed_loop_gain(true: Rewards, sham: Rewards, attempts: int) -> float:
    """Area under the best so far with true feedback, less that with another run's, over equally many attempts."""
    return area(true, attempts) - area(sham, attempts)


def recovery(rewards: Rewards) -> float | None:
    """Share of failures that a new best follows within three attempts; None where nothing failed in time.

    A failure is an attempt that is not valid or worse than the best before it. One that the last attempt is cannot
    be followed, and does not count.
    """
    followed = []
    best = [0.0, *best_so_far(rewards)]
    for i, reward in enumerate(rewards[:-1]):
        if reward is None or reward < best[i] - LEAST_GAIN:
            later = best[min(len(rewards), i + 1 + WITHIN)]
            followed.append(later >= best[i + 1] + LEAST_GAIN)
    return sum(followed) / len(followed) if followed else None


def recovery_expected(rewards: Rewards, *, seed: int = 0) -> float | None:
    """Mean recovery over the orders of the same rewards in which something fails: what chance alone would show.

    All orders up to seven attempts, 5,040 drawn ones beyond.
    """
    return _over_orders(rewards, recovery, seed)


def _over_orders(rewards: Rewards, measure: Callable[[Rewards], float | None], seed: int) -> float | None:
    n = len(rewards)
    rng = random.Random(seed)  # noqa: S311 - not a secret
    is_small = math.factorial(min(n, 8)) <= MOST_ORDERS
    orders = permutations(rewards) if is_small else (rng.sample(list(rewards), n) for _ in range(MOST_ORDERS))
    values = [value for order in orders if (value := measure(order)) is not None]
    return math.fsum(values) / len(values) if values else None


@dataclass(frozen=True, slots=True)
class Pivot:
    """A change of direction after three attempts without a new best.

    Attributes:
        attempt: from 1.
        distance: of its files from those of the best before: 0 = equal, 1 = nothing in common.
        gain: its reward less the best before it; negative where it was worse or not valid.
    """

    attempt: int
    distance: float
    gain: float

    def to_json(self) -> dict[str, Any]:
        """One element of ``pivots``."""
        return asdict(self)


def pivots(rewards: Rewards, texts: Sequence[str]) -> list[Pivot]:
    """The attempt after each stretch of three without a new best.

    Args:
        rewards: of the attempts.
        texts: the given files as one text, and those of each attempt, shape (attempts + 1,).
    """
    best, at, without, found = 0.0, 0, 0, []
    for i, reward in enumerate(rewards):
        value = 0.0 if reward is None else reward
        if without >= WITHIN:
            found.append(Pivot(i + 1, round(distance(texts[at], texts[i + 1]), 4), value - best))
            without = 0
        if value >= best + LEAST_GAIN:
            best, at, without = value, i + 1, 0
        else:
            without += 1
    return found


def distance(one: str, other: str) -> float:
    """Share of lines that two texts do not have in common, in order: 1 - ratio of Ratcliff and Obershelp (1988).

    Of texts that are too long to compare each line with each, the order of the lines does not count.
    """
    lines, others = one.splitlines(), other.splitlines()
    compared = SequenceMatcher(None, lines, others, autojunk=False)
    return 1.0 - (compared.ratio() if len(lines) * len(others) <= MOST_COMPARED else compared.quick_ratio())


def shock_attempts(rewards: Rewards, shock: int) -> int | None:
    """Attempts after an injected invalid verdict until one is as good as the best before; None where none is.

    Args:
        rewards: as they truly were.
        shock: number of the attempt whose verdict was given as invalid, from 1.
    """
    if shock > len(rewards):
        return None
    before = best_so_far(rewards)[shock - 1]
    for i, reward in enumerate(rewards[shock:], 1):
        if (reward if reward is not None else 0.0) >= before - LEAST_GAIN:
            return i
    return None
