"""The significance of an improvement under each policy: p, interval, futility, and when to look again."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy import stats

from auto_benchmark.promotion.measurement import Measurement
from auto_benchmark.promotion.schema import Evidence
from auto_benchmark.stats import group_sequential, sprt
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.looks import CAP, PROMOTE_FROM, next_look
from auto_benchmark.stats.noise import ENOUGH_DF
from auto_benchmark.stats.paired import paired_t
from auto_benchmark.stats.power import minimum_detectable_effect


@dataclass(frozen=True, slots=True)
class Comparison:
    """Outcome of a policy's test at the present number of seeds.

    Attributes:
        p: one-sided p, sequential where the policy is; None where the policy has no test yet.
        alpha: one-sided level it is compared with.
        futile: the test says that going on is pointless.
        at_cap: no further seeds are planned.
        wants: number of seeds at the next look; None at the cap.
        interval: 95 % interval of the improvement.
        method: which test, in words.
    """

    p: float | None
    alpha: float
    futile: bool
    at_cap: bool
    wants: int | None
    interval: tuple[float, float]
    method: str

    @property
    def significant(self) -> bool:
        """Whether the level is reached."""
        return self.p is not None and self.p <= self.alpha


def compare(measured: Measurement, evidence: Evidence, policy: str, alpha: float) -> Comparison:
    """Test under ``policy``. The measurement must have a noise."""
    return POLICIES[policy](measured, evidence, alpha)


def interval(measured: Measurement, level: float = 0.95) -> tuple[float, float]:
    """Two-level interval of the improvement: t quantile at the noise's degrees of freedom."""
    df = measured.pool.df if measured.pool else 1
    half = float(stats.t.ppf((1 + level) / 2, df)) * math.sqrt(measured.variance)
    return measured.improvement - half, measured.improvement + half


def _sequential(measured: Measurement, evidence: Evidence, alpha: float) -> Comparison:
    if measured.pool is None:
        raise NotApplicableError("the noise between seeds is unknown")
    d, v, n, pool = measured.improvement, measured.variance, measured.n, measured.pool
    design = sprt.SequentialDesign()  # the alternative does not depend on the level, so neither does p
    effect = float(
        design.effect(
            pool.sd, measured.m, item_variance=measured.item_variance, threshold=evidence.promotion_threshold
        )
    )
    if pool.df >= ENOUGH_DF:
        p = float(sprt.p_value(d, v, effect, n, design))
        futile = bool(sprt.is_futile(d, v, effect, design, alpha))
        ratio = float(sprt.log_likelihood_ratio(d, v, effect))
        low, high = math.log(design.beta / (1 - alpha)), math.log((1 - design.beta) / alpha)
        method = f"sequential test of {effect:+.4g} against 0: log ratio {ratio:.3g} between {low:.3g} and {high:.3g}"
    else:
        t = d / math.sqrt(v)
        p = group_sequential.p_value(t, pool.df, n)
        futile = n >= PROMOTE_FROM and group_sequential.is_futile(t, pool.df, effect, math.sqrt(v))
        method = f"group-sequential t = {t:.3g}, {pool.df} degrees of freedom"
    return Comparison(p, alpha, futile, n >= CAP, next_look(n), interval(measured), f"{method}; {_reach(measured)}")


def _reach(measured: Measurement) -> str:
    """What this comparison can see at its last look, from its seeds and items."""
    sd = measured.pool.sd if measured.pool else 0.0
    items = measured.items
    seen = minimum_detectable_effect(
        sd,
        CAP,
        measured.m,
        items=items.items if items else None,
        discordance=items.variance * items.items if items else 0.0,
    )
    over = f"{items.items} items and " if items else ""
    return f"{over}{CAP} seeds can see {seen:+.3g} (80 % power)"


def _fixed(seeds: int) -> Callable[[Measurement, Evidence, float], Comparison]:
    def test(measured: Measurement, evidence: Evidence, alpha: float) -> Comparison:
        done = measured.n >= seeds
        if not done:
            return Comparison(
                None, alpha, False, False, seeds, interval(measured), f"paired t test once {seeds} seeds are there"
            )
        result = paired_t(measured.pairs.differences, scale=measured.scale, minimum=seeds)
        p = result.p / 2 if result.statistic > 0 else 1 - result.p / 2
        return Comparison(
            p,
            alpha,
            False,
            True,
            None,
            interval(measured),
            f"paired t = {result.statistic:.3g} on {result.pairs} pairs",
        )

    return test


def _greedy(measured: Measurement, evidence: Evidence, alpha: float) -> Comparison:
    p = 0.0 if measured.improvement > 0 else 1.0
    wants = PROMOTE_FROM if measured.n < PROMOTE_FROM else None
    return Comparison(
        p, alpha, p > 0, wants is None, wants, interval(measured), "no test: any higher score counts (for comparison)"
    )


POLICIES: dict[str, Callable[[Measurement, Evidence, float], Comparison]] = {
    "sequential": _sequential,
    "sequential_wealth": _sequential,
    "fixed_n10": _fixed(10),
    "seed_rule_n3": _fixed(3),
    "greedy": _greedy,
}
"""The two sequential policies differ in who sets ``alpha``: a constant, or the project's alpha wealth."""
