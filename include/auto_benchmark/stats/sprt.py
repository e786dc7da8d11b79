"""The guarded sequential probability ratio test on the information scale.

Known noise, estimate d of the improvement with variance v: log likelihood ratio of effect ``e`` against 0 is
(d e - e^2 / 2) / v, i.e. Wald's SPRT (Wald 1945) in canonical form: with the control fixed while a candidate is
tested, Cov(d_j, d_k) = Var(d_k) for j < k, whatever the control's size and however large the item noise (Jennison &
Turnbull, *Group Sequential Methods*, 2000, ch. 3), so level and power depend on the information 1 / v alone.

Boundaries: promote at log((1 - beta) / alpha), stop at log(beta / (1 - alpha)). Looks at 1, 3, 5, 8, 12 overshoot
Wald's boundaries, which leaves about half of the level unused; the last look spends it on a plain z test at alpha /
2. The sum was simulated, not proven: see docs/statistics.md. Everything works on arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri
from scipy.stats import norm

from auto_benchmark.stats.looks import CAP, PROMOTE_FROM


@dataclass(frozen=True, slots=True)
class SequentialDesign:
    """Constants of the test.

    Attributes:
        alpha: one-sided level of one hypothesis.
        beta: accepted probability to miss ``effect``.
        effect_sd: effect under the alternative, in standard deviations of one trial; chosen on scenario-60.
    """

    alpha: float = 0.025
    beta: float = 0.2
    effect_sd: float = 1.75

    def effect(self, sd: Any, control: Any, *, item_variance: Any = 0.0, threshold: float = 0.0) -> Any:
        """The alternative: what is worth finding and can be found.

        The largest of the promotion threshold, ``effect_sd`` standard deviations, and the effect that the design
        detects with power 1 - beta at the cap (z_alpha + z_beta) sqrt(v): against items that leave more noise than
        that, a smaller alternative would only burn seeds.
        """
        last = sd**2 * (1 / CAP + 1 / control) + item_variance
        detectable = (ndtri(1 - self.alpha) + ndtri(1 - self.beta)) * np.sqrt(last)
        return np.maximum(np.maximum(threshold, self.effect_sd * sd), detectable)


def log_likelihood_ratio(estimate: Any, variance: Any, effect: Any) -> Any:
    """Evidence for ``effect`` against no improvement."""
    return (estimate * effect - effect**2 / 2) / variance


def p_value(estimate: Any, variance: Any, effect: Any, seeds: int, design: SequentialDesign) -> Any:
    """One-sided sequential p: the smallest level at which the design would promote at this look.

    (1 - beta) exp(-log likelihood ratio), Wald's boundary solved for its level; at the cap the smaller of that and
    twice the z test's p. 1 below three seeds, which may not promote.
    """
    if seeds < PROMOTE_FROM:
        return np.ones_like(np.asarray(estimate, np.float64))
    ratio = np.clip(log_likelihood_ratio(estimate, variance, effect), -700.0, 700.0)
    p = (1 - design.beta) * np.exp(-ratio)
    if seeds >= CAP:
        p = np.minimum(p, 2 * norm.sf(estimate / np.sqrt(variance)))
    return np.minimum(p, 1.0)


def is_futile(estimate: Any, variance: Any, effect: Any, design: SequentialDesign, alpha: Any = None) -> Any:
    """Whether the test stops because the effect is not there; legal from the first seed on."""
    level = design.alpha if alpha is None else alpha
    return log_likelihood_ratio(estimate, variance, effect) <= np.log(design.beta / (1 - level))
