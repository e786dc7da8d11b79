"""Is a configuration better than the baseline? Paired over common seeds, corrected for the number of comparisons.

Seeds share their test items, so a test over seeds speaks about these items only. Where per-item results exist, the
``population`` interval adds what another draw of items would change.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy import stats

from auto_benchmark.grid.outcome import RunOutcome
from auto_benchmark.grid.spec import SweepSpec
from auto_benchmark.grid.table import RankedRow, Ranking
from auto_benchmark.stats.applicability import NotApplicableError, least_spread
from auto_benchmark.stats.effect_size import cohen_dz, hedges_g
from auto_benchmark.stats.holm import holm
from auto_benchmark.stats.intervals import Interval
from auto_benchmark.stats.paired import (
    MINIMUM_PAIRS,
    NoVarianceError,
    Pairs,
    attainable_p,
    join,
    paired_t,
    sign_flip,
)
from auto_benchmark.stats.power import minimum_detectable_effect
from auto_benchmark.stats.two_level import ItemNoise, item_noise

LEVEL = 0.05
SHOWN_FROM = 3
"""Fewest pairs for which a t test is shown; below MINIMUM_PAIRS it carries no verdict."""
SHARE_OF_BASELINE = 0.01


class ComparisonVerdict(StrEnum):
    """What may be said about a configuration against the baseline."""

    BETTER = "better"
    BETTER_HERE = "better on these items"
    WORSE = "worse"
    INCONCLUSIVE = "inconclusive"
    TOO_FEW_SEEDS = "too few seeds"
    NO_VARIANCE = "no variance"
    NO_SCORE = "no score"


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """One configuration against the baseline, in the unit of the primary metric.

    Attributes:
        difference: configuration minus baseline over common seeds.
        interval: 95 %, paired over seeds, for these items.
        population: 95 %, for other items of the same kind too; None without per-item results.
        p: paired t test, two sided; ``p_holm`` corrected over all configurations of the ranking.
        p_sign_flip: exact, free of distribution; cannot be smaller than ``attainable``.
        effect: Hedges' g; ``paired_effect``: mean difference by its standard deviation.
        is_meaningful: whether the difference is at least what matters in practice.
        detectable: smallest true difference that this many seeds (and items) find with 80 % power.
    """

    name: str
    seeds: int
    verdict: ComparisonVerdict
    reason: str
    difference: float | None = None
    interval: Interval | None = None
    population: Interval | None = None
    p: float | None = None
    p_holm: float | None = None
    p_sign_flip: float | None = None
    attainable: float | None = None
    effect: float | None = None
    paired_effect: float | None = None
    is_meaningful: bool = False
    detectable: float | None = None


def smallest_meaningful(spec: SweepSpec, baseline: RankedRow) -> float:
    """The declared difference that matters, or 1 % of the baseline's mean."""
    mean = baseline.primary.mean if baseline.primary else 0.0
    return spec.metrics.meaningful_difference or SHARE_OF_BASELINE * abs(mean)


def compare(spec: SweepSpec, ranking: Ranking, outcomes: Sequence[RunOutcome]) -> list[BaselineComparison]:
    """Every configuration of ``ranking`` but the baseline, in the ranking's order."""
    baseline = ranking.row(spec.baseline_name)
    others = [row for row in ranking.rows if row.name != baseline.name]
    noise = {row.name: _item_noise(spec, ranking, outcomes, row.name) for row in others}
    found = [_compare(spec, row, baseline, noise[row.name], len(others)) for row in others]
    adjusted = holm({c.name: c.p for c in found if c.p is not None})
    return [_judged(spec, replace(c, p_holm=adjusted.get(c.name))) for c in found]


def _compare(
    spec: SweepSpec, row: RankedRow, baseline: RankedRow, noise: ItemNoise | None, family: int
) -> BaselineComparison:
    pairs = join(row.scores, baseline.scores)
    n = len(pairs.seeds)
    if n == 0:
        who = row.name if not row.scores else baseline.name
        return BaselineComparison(
            row.name, 0, ComparisonVerdict.NO_SCORE, f"no common seed has a score ({who} has none)"
        )
    difference = float(pairs.differences.mean())
    bare = BaselineComparison(
        name=row.name,
        seeds=n,
        verdict=ComparisonVerdict.TOO_FEW_SEEDS,
        reason=f"{n} common seeds; a verdict needs {MINIMUM_PAIRS}",
        difference=difference,
        is_meaningful=abs(difference) >= smallest_meaningful(spec, baseline),
        attainable=attainable_p(n),
    )
    try:
        if n >= SHOWN_FROM and float(np.ptp(pairs.differences)) <= least_spread(pairs.scale):
            raise NoVarianceError(difference)
        test = paired_t(pairs.differences, scale=pairs.scale, minimum=SHOWN_FROM)
    except NoVarianceError as error:
        return replace(bare, verdict=ComparisonVerdict.NO_VARIANCE, reason=str(error))
    except NotApplicableError:
        return bare
    return replace(
        bare,
        verdict=ComparisonVerdict.INCONCLUSIVE,
        interval=_interval(pairs, 0.0),
        population=None if noise is None else _interval(pairs, noise.variance),
        p=test.p,
        p_sign_flip=sign_flip(pairs.differences, scale=pairs.scale, minimum=SHOWN_FROM).p,
        effect=_effect(row, baseline, pairs),
        paired_effect=cohen_dz(pairs.differences, scale=pairs.scale),
        detectable=_detectable(pairs, noise, family),
    )


def _judged(spec: SweepSpec, c: BaselineComparison) -> BaselineComparison:
    if c.p is None or c.p_holm is None or c.difference is None:
        return c
    if c.seeds < MINIMUM_PAIRS:
        reason = f"{c.seeds} common seeds: the test is shown for information, a verdict needs {MINIMUM_PAIRS}"
        return replace(c, verdict=ComparisonVerdict.TOO_FEW_SEEDS, reason=reason)
    if c.p_holm >= LEVEL:
        return replace(c, reason="not distinguishable from the baseline, which does not mean equal to it")
    if (c.difference > 0) != spec.metrics.higher_is_better:
        return replace(c, verdict=ComparisonVerdict.WORSE, reason=f"Holm p = {c.p_holm:.2g}")
    if c.population is not None and c.population[0] <= 0 <= c.population[1]:
        reason = f"Holm p = {c.p_holm:.2g} over seeds, but other items could undo the difference"
        return replace(c, verdict=ComparisonVerdict.BETTER_HERE, reason=reason)
    return replace(c, verdict=ComparisonVerdict.BETTER, reason=f"Holm p = {c.p_holm:.2g}")


def _interval(pairs: Pairs, item_variance: float) -> Interval:
    """Student's interval of the mean difference, widened by the variance that the choice of items adds."""
    d = pairs.differences
    half = float(stats.t.ppf(1 - LEVEL / 2, d.size - 1)) * math.sqrt(float(d.var(ddof=1)) / d.size + item_variance)
    return float(d.mean()) - half, float(d.mean()) + half


def _effect(row: RankedRow, baseline: RankedRow, pairs: Pairs) -> float | None:
    try:
        return hedges_g([row.scores[s] for s in pairs.seeds], [baseline.scores[s] for s in pairs.seeds])
    except NotApplicableError:
        return None


def _detectable(pairs: Pairs, noise: ItemNoise | None, family: int) -> float:
    """Minimum detectable effect at the level of the first Holm step.

    A paired difference of n seeds has variance sd^2 / n, which is that of two unpaired means with sd / sqrt(2) each.
    """
    n = len(pairs.seeds)
    sd = float(pairs.differences.std(ddof=1)) / math.sqrt(2)
    items, persistent = (noise.items, noise.variance * noise.items) if noise else (None, 0.0)
    return minimum_detectable_effect(sd, n, n, items=items, discordance=persistent, alpha=LEVEL / 2 / family)


def _item_noise(spec: SweepSpec, ranking: Ranking, outcomes: Sequence[RunOutcome], name: str) -> ItemNoise | None:
    """Item noise of one configuration against the baseline; only for a ranking over one task."""
    if len(ranking.tasks) != 1:
        return None
    sides = [_items(spec, ranking.tasks[0], outcomes, who) for who in (name, spec.baseline_name)]
    seeds = sorted(sides[0].keys() & sides[1].keys())
    if not seeds:
        return None
    ids = sorted(set.intersection(*({*side[s]} for side in sides for s in seeds)))
    try:
        return item_noise(*(np.array([[side[s][i] for i in ids] for s in seeds], np.float64) for side in sides))
    except NotApplicableError:
        return None


def _items(spec: SweepSpec, task: str, outcomes: Sequence[RunOutcome], name: str) -> dict[int, Mapping[str, float]]:
    return {
        o.run.seed: o.items[spec.metrics.primary]
        for o in outcomes
        if o.is_done
        and o.run.configuration.name == name
        and o.run.dataset.task == task
        and o.items.get(spec.metrics.primary)
    }
