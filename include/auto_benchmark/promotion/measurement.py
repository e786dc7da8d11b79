"""What the trials say, oriented so that a positive improvement is always better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auto_benchmark.promotion.schema import Evidence, Observation
from auto_benchmark.stats.applicability import (
    RELATIVE_TOLERANCE,
    SHARE_OF_A_SCORE,
    Array,
    NotApplicableError,
    least_spread,
)
from auto_benchmark.stats.noise import PooledNoise, guarded_variance, pooled
from auto_benchmark.stats.paired import Pairs, join
from auto_benchmark.stats.two_level import ItemNoise, item_noise

SMALLEST_SD = 1e-100
"""Below it there is no noise to speak of, and its square would vanish."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """Both sides of a comparison.

    Attributes:
        ours: the candidate's scores as recorded, one per seed.
        theirs: the control's.
        sign: 1 where higher is better, -1 otherwise.
        pool: noise of one trial between seeds; None when nothing is known about it.
        own_noise: whether the pool comes from these very trials.
        items: item noise of the difference; None without per-item results.
        own_items: item noise of the candidate's own mean, as a variance.
        pairs: oriented differences over common seeds.
        resolution: what one whole item adds to the metric; None without per-item results.
        counted: items that ``resolution`` rests on.
    """

    ours: Array
    theirs: Array
    sign: float
    pool: PooledNoise | None
    own_noise: bool
    items: ItemNoise | None
    own_items: float
    pairs: Pairs
    resolution: float | None
    counted: int

    @property
    def n(self) -> int:
        """Seeds of the candidate."""
        return int(self.ours.size)

    @property
    def m(self) -> int:
        """Trials of the control."""
        return int(self.theirs.size)

    @property
    def improvement(self) -> float:
        """Difference of means, positive is better."""
        return self.sign * float(self.ours.mean() - self.theirs.mean())

    @property
    def scale(self) -> float:
        """Largest absolute score."""
        return float(max(np.abs(self.ours).max(), np.abs(self.theirs).max()))

    @property
    def candidate_variance(self) -> float:
        """Guarded variance of one candidate trial. Needs a pool."""
        sample = float(self.ours.var(ddof=1)) if self.n > 1 else 0.0
        return float(guarded_variance(self._pool.sd**2, sample, self.n))

    @property
    def variance(self) -> float:
        """Variance of the improvement: seeds of both sides and items. Needs a pool."""
        sample = float(self.theirs.var(ddof=1)) if self.m > 1 else 0.0
        control = float(guarded_variance(self._pool.sd**2, sample, self.m, widen=False))
        return self.candidate_variance / self.n + control / self.m + self.item_variance

    @property
    def item_variance(self) -> float:
        """Part of the variance that seeds do not reduce."""
        return self.items.variance if self.items else 0.0

    @property
    def _pool(self) -> PooledNoise:
        if self.pool is None:
            raise NotApplicableError("the noise between seeds is unknown")
        return self.pool

    @property
    def _is_perfect(self) -> bool:
        """Whether the candidate scores 1 of 1 with every seed, where no seed can make a difference."""
        shares = all(0 <= score <= 1 for score in (*self.ours, *self.theirs))
        return self.sign > 0 and shares and bool((self.ours == 1).all())

    def _is_still(self, values: Array) -> bool:
        return values.size == 0 or float(np.ptp(values)) <= least_spread(self.scale, self.resolution)

    def lack_of_variance(self) -> str | None:
        """Why no test is possible although there are seeds; None when the scores vary as they should.

        A spread that one item could not make is none: noise of 1e-9 in a metric does not make it depend on the seed.
        """
        if self.n < 2:
            return None
        differences = self.pairs.differences
        whole = differences.size == self.n or differences.size >= 3
        if differences.size >= 2 and whole and self._is_still(differences):
            return f"{_no_variance(float(differences.mean()), self.scale)}{self._hidden_in(differences)}"
        if self.m > 1 and self._is_still(self.ours) and self._is_still(self.theirs):
            hidden = self._hidden_in(self.ours) or self._hidden_in(self.theirs)
            return f"{_no_variance(self.improvement, self.scale)}{hidden}"
        if self.n >= 3 and self._is_still(self.ours) and not self._is_perfect:
            return (
                f"all {self.n} seeds of the candidate give the same score (improvement {self.improvement:+.4g}): "
                f"no test is possible, most likely the seed is not used{self._hidden_in(self.ours)}"
            )
        return None

    def _hidden_in(self, values: Array) -> str:
        """The spread that counts as none, in words; nothing where there is none."""
        spread = float(np.ptp(values))
        if spread <= RELATIVE_TOLERANCE * self.scale:
            return ""
        beside = (
            f"less than {SHARE_OF_A_SCORE:g} of it"
            if self.resolution is None
            else f"one of {self.counted} items weighs {self.resolution:.2g}"
        )
        return f" (between seeds the score moves by {spread:.1g}; {beside})"


def _no_variance(difference: float, scale: float) -> str:
    if abs(difference) <= 1e-9 * scale:
        return "no change: every seed gives the same score as the control"
    return f"every seed differs by {difference:+.6g}: no test is possible, most likely the seed is not used"


def measure(evidence: Evidence) -> Measurement:
    """Turn evidence with at least one trial on each side into numbers."""
    metric, sign = evidence.metric, 1.0 if evidence.higher_is_better else -1.0
    ours = np.array([t.metrics[metric] for t in evidence.candidate], np.float64)
    theirs = np.array([t.metrics[metric] for t in evidence.control], np.float64)
    noise = evidence.noise
    given = noise if noise and noise.df > 0 and noise.sd > SMALLEST_SD else None
    pool = PooledNoise(given.sd, given.df) if given else _own_noise(ours, theirs)
    items, own_items = _items(evidence.candidate, evidence.control, metric)
    resolution, counted = _resolution([*evidence.candidate, *evidence.control], metric)
    pairs = join(
        {t.seed: sign * t.metrics[metric] for t in evidence.candidate},
        {t.seed: sign * t.metrics[metric] for t in evidence.control},
    )
    return Measurement(ours, theirs, sign, pool, given is None, items, own_items, pairs, resolution, counted)


def _own_noise(ours: Array, theirs: Array) -> PooledNoise | None:
    try:
        noise = pooled([ours, theirs])
    except NotApplicableError:
        return None
    return noise if noise.sd > SMALLEST_SD else None


def _items(
    candidate: Sequence[Observation], control: Sequence[Observation], metric: str
) -> tuple[ItemNoise | None, float]:
    """Item noise in the metric's unit, from the items that every trial with items shares."""
    ours, theirs = [t for t in candidate if t.items], [t for t in control if t.items]
    if not ours or not theirs:
        return None, 0.0
    shared = sorted(set.intersection(*(set(t.items or ()) for t in (*ours, *theirs))))
    if len(shared) < 2:
        return None, 0.0
    tables = [np.array([[(t.items or {})[i] for i in shared] for t in side], np.float64) for side in (ours, theirs)]
    unit = _unit([*ours, *theirs], np.concatenate([table.mean(axis=1) for table in tables]), metric)
    ours_table, theirs_table = (table * unit for table in tables)
    own = float(ours_table.mean(axis=0).var(ddof=1)) / len(shared)
    return item_noise(ours_table, theirs_table), own


def _resolution(trials: Sequence[Observation], metric: str) -> tuple[float | None, int]:
    """What the largest score of one item adds to the metric's mean over all of a trial's items, and how many they are.

    Where sides have items of different numbers the finest counts.
    """
    known = [t for t in trials if t.items]
    found = []
    for trial in known:
        scores = np.array(list((trial.items or {}).values()), np.float64)
        unit = _unit([trial], np.array([scores.mean()]), metric)
        found.append((float(np.abs(scores).max()) * unit / scores.size, scores.size))
    usable = [(weight, count) for weight, count in found if weight > 0]
    return min(usable) if usable else (None, 0)


def _unit(trials: Sequence[Observation], item_means: Array, metric: str) -> float:
    """Metric per unit of an item's score: 100 where the metric is in percent and items are right/wrong."""
    ratios = [t.metrics[metric] / mean for t, mean in zip(trials, item_means, strict=True) if abs(mean) > 1e-12]
    return abs(float(np.median(ratios))) if ratios else 1.0
