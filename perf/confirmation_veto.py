"""How often fresh seeds take a promotion back: of true winners, of changes without effect, and of lotteries.

    PYTHONPATH=include:plugins python perf/confirmation_veto.py [--streams 1000] [--out perf/results/confirmation_veto.json]

A candidate is simulated through the gate's looks, as the loop asks them, until the verdict is final; one that is promoted
then meets three fresh seeds. Scores are normal with production's sd of 0.004 around 0.82; a lottery scores high with some of
its seeds and low with the others, so that its mean is production's.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from auto_benchmark.promotion.confirmation import refuted
from auto_benchmark.promotion.gate import decide
from auto_benchmark.promotion.schema import Evidence, Failures, Noise, Observation, Verdict
from auto_benchmark.stats.looks import LOOKS

MEAN, SD, THRESHOLD, CONTROL, FRESH = 0.82, 0.004, 0.005, 10, 3
Draw = Callable[[np.random.Generator, int], np.ndarray]


def shifted(gain: float) -> Draw:
    """Scores of a candidate that is better by ``gain``."""
    return lambda rng, n: MEAN + gain + SD * rng.standard_normal(n)


def lottery(chance: float, prize: float) -> Draw:
    """Scores of one that wins ``prize`` with some seeds, and loses with the others what makes up for it."""
    loss = prize * chance / (1 - chance)
    return lambda rng, n: MEAN + np.where(rng.random(n) < chance, prize, -loss) + SD / 4 * rng.standard_normal(n)


WORLDS: dict[str, Draw] = {
    "gain of 0": shifted(0.0), "gain of 1 threshold": shifted(THRESHOLD), "gain of 2 thresholds": shifted(2 * THRESHOLD),
    "gain of 3 thresholds": shifted(3 * THRESHOLD), "lottery, 1 of 2 seeds wins 0.01": lottery(0.5, 0.01),
    "lottery, 1 of 2 seeds wins 0.02": lottery(0.5, 0.02), "lottery, 1 of 3 seeds wins 0.02": lottery(1 / 3, 0.02),
}  # fmt: skip


def observed(scores: np.ndarray, first: int) -> list[Observation]:
    return [Observation(seed=first + i, metrics={"accuracy": float(score)}) for i, score in enumerate(scores)]


def once(draw: Draw, rng: np.random.Generator) -> tuple[bool, bool]:
    """Whether the gate promotes a candidate, and whether its fresh seeds take that back."""
    control, own = observed(MEAN + SD * rng.standard_normal(CONTROL), 0), draw(rng, LOOKS[-1])
    for look in LOOKS:
        evidence = Evidence(
            metric="accuracy", higher_is_better=True, promotion_threshold=THRESHOLD, noise=Noise(sd=SD, df=30),
            candidate=observed(own[:look], 1000), control=control, leader_score=MEAN,
        )  # fmt: skip
        verdict = decide(evidence).verdict
        if verdict.is_final:
            break
    if verdict not in {Verdict.PROMOTE, Verdict.CHALLENGER}:
        return False, False
    fresh = observed(draw(rng, FRESH), 2000)
    return True, refuted(evidence, fresh, Failures(seeds=FRESH, failed=0)) is not None


def measured(streams: int) -> dict[str, Any]:
    """World -> candidates, promotions by the gate, and how many of these fresh seeds take back."""
    found = {}
    for number, (name, draw) in enumerate(WORLDS.items()):
        rng = np.random.default_rng([17, number])
        ends = [once(draw, rng) for _ in range(streams)]
        found[name] = {
            "candidates": streams, "promoted": sum(p for p, _ in ends), "taken_back": sum(back for _, back in ends)
        }  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    command = f"python perf/confirmation_veto.py --streams {given.streams}"
    told = {"date": datetime.now(UTC).date().isoformat(), "command": command, **measured(given.streams)}
    print(json.dumps(told, indent=1))
    if given.out:
        given.out.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
