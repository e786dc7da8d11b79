"""The best candidate that fell short of the promotion threshold, and what a lower threshold would cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist

from auto_benchmark.hypotheses.search.finding import Refused

Z95 = NormalDist().inv_cdf(0.975)


def false_promotion_rate(threshold: float, error: float, level: float) -> float:
    """P(a change without effect is promoted): its estimate reaches the threshold and is significant at the level.

    Both are upper tails of one statistic, normal around 0, so that the smaller one decides.

    Args:
        threshold: smallest gain that is promoted.
        error: standard error of the gain, above 0.
        level: of the gate's test.
    """
    return min(level, 1 - NormalDist().cdf(threshold / error))


def fell_short(
    refused: Sequence[Refused], base: Mapping[str, object], *, threshold: float, missing: float, level: float
) -> str | None:
    """Name the best candidate between 0 and the threshold, and the price of promoting it; None where there is none.

    Args:
        refused: what the gate judged and did not take.
        base: the configuration that they change.
        threshold: promotion threshold, in the benchmark's unit.
        missing: to #1, in that unit; 0 while we lead.
        level: of the gate's next test.
    """
    short = [each for each in refused if each.gain is not None and each.half_width and 0 < each.gain < threshold]
    if not short:
        return None
    best = max(short, key=lambda each: each.gain or 0.0)
    gain, error = best.gain or 0.0, (best.half_width or 0.0) / Z95
    changed = ", ".join(f"{name} {value}" for name, value in best.params.items() if base.get(name) != value)
    now, then = (false_promotion_rate(t, error, level) for t in (threshold, gain))
    above = f", which is above the gap to #1 of {missing:.4g}" if 0 < missing < threshold else ""
    rate = f"with probability {then:.2%} instead of {now:.2%}"
    if f"{then:.2%}" == f"{now:.2%}":
        rate = f"no more often, in {now:.2%} of cases"
    return (
        f"the best candidate below the threshold of {threshold:g}{above}: {gain:+.4f} with {changed}; a threshold of "
        f"{gain:.4g} would promote a change without effect {rate}"
    )
