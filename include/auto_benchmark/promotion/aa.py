"""A/A: production against itself through the whole gate. What is promoted there is false by construction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from auto_benchmark.promotion.gate import ALPHA, decide
from auto_benchmark.promotion.schema import Decision, Evidence, Noise, Observation, Verdict
from auto_benchmark.stats.intervals import rate_interval
from auto_benchmark.stats.looks import LOOKS

WINS = frozenset({Verdict.PROMOTE, Verdict.CHALLENGER})


@dataclass(frozen=True, slots=True)
class FalseRate:
    """False promotions among A/A comparisons.

    Attributes:
        wins: comparisons that ended in promote or challenger.
        comparisons: decided comparisons.
        rate: wins / comparisons.
        interval: exact 95 % interval.
        believable: the interval includes a rate at or below the nominal level.
    """

    wins: int
    comparisons: int
    rate: float
    interval: tuple[float, float]
    believable: bool


def false_rate(verdicts: Iterable[Verdict], alpha: float = ALPHA) -> FalseRate | None:
    """Rate over the last verdicts of A/A comparisons; None when there are none."""
    found = list(verdicts)
    if not found:
        return None
    wins = sum(verdict in WINS for verdict in found)
    low, high = rate_interval(wins, len(found))
    return FalseRate(wins, len(found), wins / len(found), (low, high), low <= alpha)


def simulate(comparisons: int, *, seed: int = 0, control: int = 10, noise_df: int | None = 20) -> list[Decision]:
    """Run simulated A/A comparisons through :func:`decide`, look by look, until each is final or out of looks.

    Args:
        comparisons: how many.
        seed: of the noise.
        control: production's trials per comparison.
        noise_df: degrees of freedom of the noise model, estimated afresh for each; None gives the gate no model.
    """
    rng = np.random.default_rng(seed)
    return [_one(rng, control, noise_df) for _ in range(comparisons)]


def _one(rng: np.random.Generator, control: int, noise_df: int | None) -> Decision:
    sd, mean = 0.004, 0.82
    scores = mean + sd * rng.standard_normal(control + LOOKS[-1])
    latency = 100 + 2 * rng.standard_normal(control + LOOKS[-1])
    trials = [
        Observation(seed=i, metrics={"accuracy": float(a), "latency_ms": float(b)})
        for i, (a, b) in enumerate(zip(scores, latency, strict=True))
    ]
    noise = Noise(sd=float(sd * np.sqrt(rng.chisquare(noise_df) / noise_df)), df=noise_df) if noise_df else None
    for look in LOOKS:
        decision = decide(
            Evidence(
                metric="accuracy",
                higher_is_better=True,
                promotion_threshold=0.001,
                noise=noise,
                candidate=trials[control : control + look],
                control=trials[:control],
            )
        )
        if decision.verdict.is_final:
            break
    return decision
