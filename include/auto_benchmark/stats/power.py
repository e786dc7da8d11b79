"""What a comparison can see: minimum detectable effect from seeds and items, and the items that a threshold needs.

(z_alpha + z_beta) sqrt(v) with v = sd^2 (1/n + 1/m) + q / items, the usual normal-theory formula (Cohen 1988 ch. 2);
q is the share of items on which two configurations persistently differ.
"""

from __future__ import annotations

import math

from scipy.special import ndtri

from auto_benchmark.stats.applicability import NotApplicableError


def _reach(alpha: float, power: float) -> float:
    if not (0 < alpha < 1 and 0 < power < 1):
        raise NotApplicableError("level and power lie strictly between 0 and 1")
    return float(ndtri(1 - alpha) + ndtri(power))


def minimum_detectable_effect(
    sd: float,
    seeds: int,
    control: int,
    *,
    items: int | None = None,
    discordance: float = 0.05,
    alpha: float = 0.025,
    power: float = 0.8,
) -> float:
    """Smallest true improvement found with probability ``power`` at the one-sided level ``alpha``.

    Args:
        sd: noise of one trial between seeds, in the metric's unit.
        seeds: trials of the candidate.
        control: trials of the control.
        items: paired test items; None leaves item noise out (a metric without items).
        discordance: share of items that persistently differ.
        alpha: one-sided level.
        power: wanted power.
    """
    if seeds < 1 or control < 1 or (items is not None and items < 1):
        raise NotApplicableError("seeds, control trials and items must be at least 1")
    variance = sd**2 * (1 / seeds + 1 / control) + (discordance / items if items else 0.0)
    return _reach(alpha, power) * math.sqrt(variance)


def items_needed(
    effect: float,
    *,
    discordance: float = 0.05,
    sd: float = 0.0,
    seeds: int = 12,
    control: int = 10,
    alpha: float = 0.025,
    power: float = 0.8,
) -> int:
    """Fewest paired items with which ``effect`` is detectable.

    Raises:
        NotApplicableError: the noise between seeds alone is already too large for the effect.
    """
    if effect <= 0:
        raise NotApplicableError("an effect to detect is greater than 0")
    left = (effect / _reach(alpha, power)) ** 2 - sd**2 * (1 / seeds + 1 / control)
    if left <= 0:
        raise NotApplicableError("more items do not help: the noise between seeds alone hides this effect")
    return math.ceil(discordance / left)
