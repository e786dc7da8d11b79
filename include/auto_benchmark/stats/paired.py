"""Paired tests over common seeds: t, exact sign-flip, exact Wilcoxon, and the smallest p that each can reach.

Pairs are joined by seed. Two sided throughout. NaN never leaves this module: all differences equal is
:class:`NoVarianceError`, too few pairs is :class:`NotApplicableError`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from auto_benchmark.stats.applicability import Array, NotApplicableError, is_constant, sample

MINIMUM_PAIRS = 5
"""Fewest pairs for a paired report; the sequential gate has its own rules."""
LARGEST_ENUMERATION = 20
LARGEST_RANKED = 1000
"""Non-zero differences whose rank sums are enumerated, in a few seconds; the work grows with the cube."""


class NoVarianceError(NotApplicableError):
    """All paired differences are equal: no test is possible, most likely a seed is not used."""

    def __init__(self, difference: float) -> None:
        self.difference = difference
        what = "no change" if difference == 0 else f"every seed differs by {difference:+.6g}"
        super().__init__(f"{what}: the differences do not vary, so no test is possible (is the seed used?)")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Scores of two configurations on their common seeds.

    Attributes:
        seeds: common seeds in ascending order.
        differences: candidate minus control, shape (len(seeds),).
        scale: largest absolute score, against which rounding is judged.
        unmatched: seeds that only one side has.
        dropped: common seeds left out because a score was not finite.
    """

    seeds: tuple[int, ...]
    differences: Array
    scale: float
    unmatched: int
    dropped: int


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Result of a paired test; ``attainable`` is the smallest p that this many pairs could have given."""

    statistic: float
    p: float
    attainable: float
    pairs: int


def join(candidate: Mapping[int, float], control: Mapping[int, float]) -> Pairs:
    """Join two configurations by seed; scores that are not finite drop their pair and are counted."""
    common = sorted(candidate.keys() & control.keys())
    kept = [s for s in common if math.isfinite(candidate[s]) and math.isfinite(control[s])]
    differences = np.array([candidate[s] - control[s] for s in kept], np.float64)
    scale = max((max(abs(candidate[s]), abs(control[s])) for s in kept), default=0.0)
    return Pairs(tuple(kept), differences, scale, len(candidate.keys() ^ control.keys()), len(common) - len(kept))


def _checked(differences: Sequence[float] | Array, scale: float | None, minimum: int) -> Array:
    d = sample(differences, minimum, "paired differences")
    if is_constant(d, scale):
        value = float(d.mean())
        size = float(np.abs(d).max()) if scale is None else scale
        raise NoVarianceError(0.0 if abs(value) <= 1e-9 * size else value)
    return d


def paired_t(
    differences: Sequence[float] | Array, *, scale: float | None = None, minimum: int = MINIMUM_PAIRS
) -> PairedTest:
    """Student's paired t test.

    Args:
        differences: candidate minus control, one per common seed.
        scale: size of the subtracted scores; equality is judged within 1e-9 of it.
        minimum: fewest pairs accepted; a caller that shows the three-seed rule as information passes 3.

    Raises:
        NoVarianceError: all differences equal.
        NotApplicableError: too few pairs.
    """
    d = _checked(differences, scale, max(minimum, 2))
    t = float(d.mean() / (d.std(ddof=1) / math.sqrt(d.size)))
    return PairedTest(t, float(2 * stats.t.sf(abs(t), d.size - 1)), 0.0, int(d.size))


def attainable_p(pairs: int) -> float:
    """Smallest two-sided p of sign-flip and Wilcoxon with ``pairs`` pairs: 2^(1 - n)."""
    return min(1.0, max(2.0 ** (1 - pairs), sys.float_info.min))


def sign_flip(
    differences: Sequence[float] | Array,
    *,
    scale: float | None = None,
    minimum: int = MINIMUM_PAIRS,
    draws: int = 100_000,
    seed: int = 0,
) -> PairedTest:
    """Permutation test of a mean of zero over all sign patterns (Fisher 1935); exact when changes are exchangeable.

    All 2^n patterns up to n = 20, beyond that ``draws`` random ones with the add-one rule (Phipson & Smyth 2010).
    """
    d = _checked(differences, scale, minimum)
    observed = abs(float(d.sum()))
    slack = 1e-12 * float(np.abs(d).sum())
    if d.size <= LARGEST_ENUMERATION:
        totals = np.zeros(1)
        for value in d[1:]:  # the first sign is fixed: the other half mirrors it
            totals = np.concatenate([totals + value, totals - value])
        p = float(np.mean(np.abs(totals + d[0]) >= observed - slack))
    else:
        signs = np.random.default_rng(seed).choice(np.array([-1.0, 1.0]), size=(draws, d.size))
        p = (1 + int(np.count_nonzero(np.abs(signs @ d) >= observed - slack))) / (draws + 1)
    return PairedTest(float(d.mean()), p, attainable_p(d.size), int(d.size))


def wilcoxon(
    differences: Sequence[float] | Array, *, scale: float | None = None, minimum: int = MINIMUM_PAIRS
) -> PairedTest:
    """Exact signed-rank test (Wilcoxon 1945); zeros are dropped first, ties get mid-ranks, the null is enumerated.

    Differences are zero, or tied, where they agree within 1e-9 of ``scale``: the last bits of a subtraction rank
    nothing. The p value is never 0: below the smallest normal float it is that float.

    Raises:
        NotApplicableError: too few pairs, or more than 1000 non-zero differences (use :func:`sign_flip`).
    """
    d = _checked(differences, scale, minimum)
    size = float(np.abs(d).max()) if scale is None else scale
    d = d[np.abs(d) > 1e-9 * size]
    if d.size > LARGEST_RANKED:
        text = f"{d.size} differences are too many to enumerate the ranks of (at most {LARGEST_RANKED})"
        raise NotApplicableError(f"{text}; the sign-flip test has no such limit")
    ranks = stats.rankdata(_tied(np.abs(d), 1e-9 * size))
    statistic = float(ranks[d > 0].sum())
    shares = _rank_sum_shares(np.rint(2 * ranks).astype(int))
    place = round(2 * statistic)
    tail = min(float(shares[: place + 1].sum()), float(shares[place:].sum()))
    p = min(1.0, max(2 * tail, sys.float_info.min))
    return PairedTest(statistic, p, attainable_p(d.size), int(d.size))


def _tied(sizes: Array, within: float) -> Array:
    """The place of each value in ascending order, shared by neighbours no further apart than ``within``."""
    order = np.argsort(sizes, kind="stable")
    places = np.empty(sizes.size)
    places[order] = np.cumsum(np.diff(sizes[order], prepend=sizes[order[:1]]) > within)
    return places


def _rank_sum_shares(doubled: NDArray[np.int_]) -> Array:
    """Share of sign patterns per sum of (doubled) ranks, as a product of polynomials halved at each factor."""
    shares = np.zeros(int(doubled.sum()) + 1)
    shares[0], top = 1.0, 0
    for rank in doubled:
        shifted = shares[: top + 1] / 2
        shares[: top + 1] = shifted
        top += int(rank)
        shares[rank : top + 1] += shifted
    return shares
