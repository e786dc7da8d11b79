"""Edits that keep the meaning and shift the use of random numbers, judged by the gate: what it promotes there is false.

    PYTHONPATH=include:plugins nice .venv/bin/python perf/code_aa.py

Such an edit (``perf/code_candidates/neutral_draw.diff`` is one) gives every seed another sample and projection, so it is as
good as a fresh seed of the same program. A comparison therefore draws its control and its candidate, without common trials,
from the real trials of production's program that perf/code_candidates.py kept: 300 edits, and 2,000 streams of a queue in
which each hypothesis is such an edit or a neutral candidate with recorded trials. Nothing is trained. Trials are drawn again
in other comparisons, so the bound holds given these trials; it is no bound over as many independent runs.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from code_candidates import KEPT, THRESHOLD
from measured import keep

from auto_benchmark.promotion.aa import false_rate
from auto_benchmark.promotion.decision import Evidence, Noise, Observation, Verdict
from auto_benchmark.promotion.gate import decide
from auto_benchmark.stats.looks import LOOKS
from auto_benchmark.stats.noise import pooled

EDITS, STREAMS, CONTROL = 300, 2000, 5


def recorded() -> list[Observation]:
    """Real gate trials of production's program and of the edit that draws once more, each under a seed of its own."""
    rows = [json.loads(line) for line in KEPT.read_text().splitlines()]
    same = [
        row for row in rows if row["place"] == "gate" and row["name"] in {"base", "neutral_draw"} and row["items"]
    ]
    return [
        Observation(
            seed=number,
            metrics={"accuracy": row["accuracy"]},
            items={str(i): float(right) for i, right in enumerate(row["items"])},
        )
        for number, row in enumerate(same)
    ]


def compared(trials: list[Observation], rng: np.random.Generator) -> Verdict:
    """One edit beside production, look by look as far as there are trials left."""
    order = [trials[i] for i in rng.permutation(len(trials))]
    control, rest = order[:CONTROL], order[CONTROL:]
    pool = pooled([[each.metrics["accuracy"] for each in trials]])
    for look in LOOKS:
        if look > len(rest):
            break
        decision = decide(
            Evidence(
                metric="accuracy",
                higher_is_better=True,
                promotion_threshold=THRESHOLD,
                noise=Noise(sd=pool.sd, df=pool.df),
                candidate=rest[:look],
                control=control,
            )
        )
        if decision.verdict.is_final:
            break
    return decision.verdict


def measure() -> dict[str, Any]:
    """False promotions with their exact interval, over edits and over streams."""
    trials, rng = recorded(), np.random.default_rng(18)
    told: dict[str, Any] = {"recorded_trials": len(trials), "control": CONTROL}
    for name, count in (("edits", EDITS), ("streams", STREAMS)):
        found = false_rate(compared(trials, rng) for _ in range(count))
        assert found is not None
        told[name] = {"comparisons": count, "false": found.wins, "interval": found.interval}
    return told


if __name__ == "__main__":
    keep("code_aa", measure())
