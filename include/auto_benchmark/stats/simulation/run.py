"""Run policies over a scenario and sum up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from auto_benchmark.stats.simulation.greedy import greedy
from auto_benchmark.stats.simulation.paired_rule import fixed_n10, seed_rule_n3
from auto_benchmark.stats.simulation.scenario import Scenario
from auto_benchmark.stats.simulation.sequential import sequential, sequential_wealth
from auto_benchmark.stats.simulation.stream import Ledger, Stream

POLICIES: dict[str, Callable[[Stream], Ledger]] = {
    "greedy": greedy,
    "seed_rule_n3": seed_rule_n3,
    "fixed_n10": fixed_n10,
    "sequential": sequential,
    "sequential_wealth": sequential_wealth,
}


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """Means per stream of one policy.

    Attributes:
        name: of the policy.
        trials: all trials, initial control and defense runs included.
        true_gain: sum of the true effects of what was promoted, in trial sds.
        claimed_gain: sum of the estimates at the moments of promotion.
        promoted: number of promotions.
        false_promotions: promotions whose true effect is zero or negative.
        false_share: mean over streams of false / promoted, 0 where nothing was promoted (the false discovery rate).
        false_share_p95: its 95th percentile over streams.
        type_i: promotions of hypotheses without effect / their number; None without such hypotheses.
    """

    name: str
    trials: float
    true_gain: float
    claimed_gain: float
    promoted: float
    false_promotions: float
    false_share: float
    false_share_p95: float
    type_i: float | None


def run(scenario: Scenario, policies: Sequence[str] = tuple(POLICIES)) -> list[PolicyResult]:
    """Simulate; the same scenario gives the same numbers, whatever other policies run beside.

    Raises:
        KeyError: a policy is not in ``POLICIES``.
    """
    return [_summary(name, POLICIES[name](Stream(scenario, name))) for name in policies]


def _summary(name: str, ledger: Ledger) -> PolicyResult:
    shares = ledger.false / np.maximum(ledger.promoted, 1)
    nulls = ledger.nulls
    return PolicyResult(
        name=name,
        trials=float(ledger.trials.mean()),
        true_gain=float(ledger.true_gain.mean()),
        claimed_gain=float(ledger.claimed_gain.mean()),
        promoted=float(ledger.promoted.mean()),
        false_promotions=float(ledger.false.mean()),
        false_share=float(shares.mean()),
        false_share_p95=float(np.quantile(shares, 0.95)),
        type_i=ledger.null_promotions / nulls if nulls else None,
    )
