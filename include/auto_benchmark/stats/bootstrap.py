"""Bootstrap of a difference over clusters of items (conversations, documents) nested under seeds.

Clusters are resampled whole, and the trials of each side are resampled too, so the interval carries both levels of
noise (Davison & Hinkley 1997, section 3.8). Items of one cluster are not independent; resampling them singly claims
more evidence than there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.intervals import Interval

MINIMUM_CLUSTERS = 10


def clustered_interval(
    candidate: Any,
    control: Any,
    clusters: Sequence[str],
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Percentile interval of the mean over items of candidate minus control.

    Args:
        candidate: scores, shape (seeds, items).
        control: scores, shape (seeds, items), same items in the same order.
        clusters: cluster of each item, length items.
        level: confidence.
        resamples: bootstrap repetitions.
        seed: of the resampling.

    Raises:
        NotApplicableError: shapes that do not match, fewer than ten clusters, or no variance at all.
    """
    ours, theirs = np.asarray(candidate, np.float64), np.asarray(control, np.float64)
    names, index = np.unique(np.asarray(clusters), return_inverse=True)
    if ours.ndim != 2 or theirs.ndim != 2 or not ours.shape[1] == theirs.shape[1] == index.size:
        raise NotApplicableError("scores must be two seed x item tables with one cluster per item")
    if names.size < MINIMUM_CLUSTERS:
        raise NotApplicableError(f"{names.size} clusters; a bootstrap over clusters needs {MINIMUM_CLUSTERS}")
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        raise NotApplicableError("an item score is not finite")
    member = np.zeros((index.size, names.size))
    member[np.arange(index.size), index] = 1.0
    sizes, a, b = member.sum(axis=0), ours @ member, theirs @ member  # cluster totals, (seeds, clusters)
    rng = np.random.default_rng(seed)
    draws = np.empty(resamples)
    for r in range(resamples):
        weights = rng.multinomial(names.size, np.full(names.size, 1 / names.size))
        sa, sb = rng.integers(0, len(a), len(a)), rng.integers(0, len(b), len(b))
        draws[r] = (a[sa].mean(axis=0) - b[sb].mean(axis=0)) @ weights / (sizes @ weights)
    if np.ptp(draws) <= 1e-12 * max(float(np.abs(draws).max()), 1.0):
        raise NotApplicableError("no resample differs from another")
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
