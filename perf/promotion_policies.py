"""Promotion policies on the sixty-hypothesis scenario and on every variant that breaks one of its assumptions.

    PYTHONPATH=include python perf/promotion_policies.py [SCENARIO.yaml]

Prints a Markdown table per variant and the time it took. Without an argument the scenario below is used.
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

from auto_benchmark.documents import load
from auto_benchmark.promotion.scenario import ScenarioFile
from auto_benchmark.stats.simulation.run import POLICIES, run
from auto_benchmark.stats.simulation.scenario import USUAL_EFFECTS, Effect, Scenario, item_sd

SIXTY = Scenario(60, 2000, USUAL_EFFECTS)
MANY = 20_000
OURS = ("sequential", "sequential_wealth")
NULLS = (Effect(1.0, 0.0, 0.0),)


def variants(base: Scenario) -> list[tuple[str, Scenario, tuple[str, ...]]]:
    """Name, scenario and policies."""
    many = replace(base, repetitions=MANY)
    return [
        ("the scenario, all policies", base, tuple(POLICIES)),
        ("the scenario, 20,000 streams", many, OURS),
        ("heavy tails (t3)", replace(many, distribution="t3"), OURS),
        ("skew (gamma 2)", replace(many, distribution="gamma2"), OURS),
        ("sd believed 30 % too high", replace(many, assumed_sd=1.3), OURS),
        ("sd believed 30 % too low", replace(many, assumed_sd=0.7), OURS),
        ("candidates with twice the sd", replace(many, candidate_sd=2.0), OURS),
        ("all hypotheses null", replace(many, effects=NULLS), OURS),
        ("1,000 items, 5 % discordance", replace(many, item_sd=item_sd(1000, 0.05, 1.0)), OURS),
        (
            "the same, seeds-only rules",
            replace(base, item_sd=item_sd(1000, 0.05, 1.0)),
            ("seed_rule_n3", "fixed_n10"),
        ),
        ("5,000 items, 5 % discordance", replace(many, item_sd=item_sd(5000, 0.05, 1.0)), OURS),
        ("20,000 items, 5 % discordance", replace(many, item_sd=item_sd(20000, 0.05, 1.0)), OURS),
        ("one lone null per stream", replace(many, hypotheses=1, effects=NULLS), OURS),
        ("3 control runs, no defense runs", replace(many, control_runs=3, defense_runs=0), OURS),
    ]


def main() -> None:
    base = load(ScenarioFile, Path(sys.argv[1])).scenario() if len(sys.argv) > 1 else SIXTY
    started = time.perf_counter()
    print("| variant | policy | trials | true gain | claimed | promoted | false share | p95 | type I |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, scenario, policies in variants(base):
        for r in run(scenario, policies):
            type_i = "" if r.type_i is None else f"{r.type_i:.4f}"
            print(
                f"| {name} | {r.name} | {r.trials:.0f} | {r.true_gain:.2f} | {r.claimed_gain:.2f} | {r.promoted:.2f} "
                f"| {r.false_share:.3f} | {r.false_share_p95:.2f} | {type_i} |"
            )
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
