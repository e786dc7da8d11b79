"""Whether two benchmarks rank systems alike, read against what noise allows.

Kendall's tau-b (Kendall 1945) of the systems' accuracies on both. Even two benchmarks of one kind do not reach 1, because
accuracies on few items are noisy: the *ceiling* is the tau that parallel forms of as many items would show. It is found from
random halves of each benchmark, of which the tau is taken to a correlation and back by r = sin(tau pi / 2) (Greiner 1909)
and to the whole length by the formula of Spearman and Brown (both 1910). Ranks and not accuracies go into it: one system
far behind would make accuracies look reliable where nothing else is in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auto_benchmark.stats.applicability import Array, NotApplicableError
from auto_benchmark.stats.intervals import Interval
from auto_benchmark.stats.normal import Z95
from auto_benchmark.stats.objectives import Right

LEAST_SYSTEMS, LEAST_ITEMS = 5, 20
LEAST_RELIABILITY = 0.2
"""Below it a correction multiplies noise by more than two."""
SPLITS, RESAMPLES, SPLITS_AGAIN = 100, 500, 20
"""Random halves of the items, draws of them, and halves of each draw."""


@dataclass(frozen=True, slots=True)
class Consistency:
    """How alike two benchmarks rank the same systems.

    Attributes:
        tau: Kendall's tau-b of the accuracies.
        interval: 95 %, of the tau that benchmarks of these sizes show on average for these systems.
        parallel: tau that another form of the first, and of the second, of its own size would show with it.
        ceiling: tau that both would show if they ranked alike but for noise.
        below_ceiling: ceiling less tau.
        below_interval: 95 %.
        corrected: tau without the noise of both; None where they are too unreliable for that.
        corrected_interval: 95 %, of which the reliabilities are taken as known.
    """

    tau: float
    interval: Interval
    parallel: tuple[float, float]
    ceiling: float
    below_ceiling: float
    below_interval: Interval
    corrected: float | None
    corrected_interval: Interval | None

    @property
    def is_less_alike_than_noise_explains(self) -> bool:
        """Whether the tau is below its ceiling beyond what the items leave open."""
        return self.below_interval[0] > 0


def tau_b(one: Array, other: Array) -> Array:
    """Kendall's tau-b over the last axis, of counts rather than shares; 0 where one side has no order at all."""
    first, second = np.triu_indices(one.shape[-1], 1)
    a, b = (np.sign(x[..., first] - x[..., second]) for x in (one, other))
    scale = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    return np.asarray((a * b).sum(axis=-1) / np.where(scale > 0, scale, 1.0))


def consistency(
    one: Right, other: Right, groups: tuple[Sequence[str], Sequence[str]] | None = None, *, seed: int = 0
) -> Consistency:
    """How alike two benchmarks rank systems.

    Intervals are normal ones with the standard deviation of a bootstrap over the items of both benchmarks: they are about
    other items of the same descriptions. The bootstrap's percentiles would lie too low, since drawn items carry the noise of
    the items and that of the draw.

    Args:
        one: (systems, items) right answers on the first benchmark.
        other: the same systems on the second; no item stands in both.
        groups: of each item of either, such as its subtask, whose sizes do not depend on chance.
        seed: of splits and draws.

    Raises:
        NotApplicableError: fewer than five systems or twenty items, or a benchmark on which all systems are equally good.
    """
    sides = (one, other)
    for right in sides:
        _checked(right)
    if len(one) != len(other):
        raise NotApplicableError(f"{len(one)} systems in the first and {len(other)} in the second")
    named = groups or tuple([""] * right.shape[1] for right in sides)
    rng = np.random.default_rng(seed)
    drawn = [_Drawn.of(right, np.unique(names, return_inverse=True)[1], rng)
             for right, names in zip(sides, named, strict=True)]  # fmt: skip
    tau = float(tau_b(one.sum(axis=1), other.sum(axis=1)))
    again = tau_b(drawn[0].counts, drawn[1].counts)
    reliability = [_whole_length(side.halves) for side in drawn]
    shown = np.sqrt(reliability[0] * reliability[1])
    ceilings = _tau_of(np.sqrt(_whole_length(drawn[0].halves_again) * _whole_length(drawn[1].halves_again)))
    ceiling, half = float(_tau_of(shown)), Z95 * float(np.std(ceilings - again, ddof=1))
    spread = Z95 * float(np.std(again, ddof=1))
    ends = np.clip([tau, tau - spread, tau + spread], -1.0, 1.0)
    value, low, high = map(float, ends)
    corrected, *around = map(float, _tau_of(_r_of(ends) / max(float(shown), LEAST_RELIABILITY)))
    reliable = min(map(float, reliability)) >= LEAST_RELIABILITY
    return Consistency(
        value, (low, high), (float(_tau_of(reliability[0])), float(_tau_of(reliability[1]))), ceiling, ceiling - value,
        (ceiling - value - half, ceiling - value + half), corrected if reliable else None,
        (around[0], around[1]) if reliable else None,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Drawn:
    """One benchmark's halves, and both from items drawn anew.

    Attributes:
        halves: tau of halves, mean over random splits.
        counts: (draws, systems) of right answers.
        halves_again: (draws,) tau of halves; what is drawn twice stays in one half.
    """

    halves: Array
    counts: Array
    halves_again: Array

    @classmethod
    def of(cls, right: Right, groups: np.ndarray[tuple[int], np.dtype[np.intp]], rng: np.random.Generator) -> _Drawn:
        n = right.shape[1]
        masks, weights = np.zeros((SPLITS, n)), np.zeros((RESAMPLES, n))
        odd = rng.random(SPLITS) < 0.5
        for group in range(int(groups.max()) + 1):
            at = np.flatnonzero(groups == group)
            order = rng.permuted(np.tile(np.arange(len(at)), (SPLITS, 1)), axis=1)
            masks[:, at] = order < np.where(odd, (len(at) + 1) // 2, len(at) // 2)[:, None]
            odd = odd ^ bool(len(at) % 2)  # of two odd groups each half gets one item more
            weights[:, at] = rng.multinomial(len(at), np.full(len(at), 1 / len(at)), size=RESAMPLES)
        x = right.astype(float)
        again = np.array([x * w for w in weights])
        return cls(_halves(x, masks).mean(), again.sum(axis=-1), _halves(again, masks[:SPLITS_AGAIN]).mean(axis=-1))


def _halves(x: Array, masks: Array) -> Array:
    """(…, splits) tau of both halves' counts; a half's size does not change an order.

    Args:
        x: (…, systems, items).
        masks: (splits, items) which are in the first half.
    """
    inside = np.swapaxes(x @ masks.T, -1, -2)
    return tau_b(inside, x.sum(axis=-1)[..., None, :] - inside)


def _whole_length(halves: Array) -> Array:
    """Correlation of parallel forms of the whole length."""
    r = _r_of(np.asarray(halves)).clip(0.0, 1.0)
    return np.asarray(2 * r / (1 + r))


def _r_of(tau: Array) -> Array:
    return np.asarray(np.sin(np.pi / 2 * tau))


def _tau_of(r: Array) -> Array:
    return np.asarray(2 / np.pi * np.arcsin(np.clip(r, -1.0, 1.0)))


def _checked(right: Right) -> None:
    if right.ndim != 2 or right.shape[0] < LEAST_SYSTEMS or right.shape[1] < LEAST_ITEMS:
        raise NotApplicableError(
            f"at least {LEAST_SYSTEMS} systems and {LEAST_ITEMS} items are needed, there are "
            f"{' and '.join(map(str, right.shape))}"
        )
    if np.ptp(right.mean(axis=1)) < 1e-12:
        raise NotApplicableError("all systems are equally good on one of the benchmarks")
