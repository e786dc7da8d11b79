"""What shares of alpha wealth cost a source that is alone, and what they save where another floods the queue.

    PYTHONPATH=include python perf/wealth_shares.py [STREAMS]

The scenario of sixty hypotheses (docs/statistics.md). Alone: all of them are one source's. Flooded: before each of thirty
hypotheses of the search come three of an agent's that have no effect. Prints a Markdown table.
"""

import sys
from dataclasses import replace

import numpy as np

from auto_benchmark.registry.schedule import GateShares
from auto_benchmark.stats.simulation.scenario import USUAL_EFFECTS, Scenario
from auto_benchmark.stats.simulation.sequential import sequential_shares
from auto_benchmark.stats.simulation.stream import Ledger, Stream

FLOOD = 3


def main() -> None:
    alone = Scenario(60, int(sys.argv[1]) if len(sys.argv) > 1 else 5000, USUAL_EFFECTS)
    parts = GateShares().parts()
    print("| queue | share of the search | true gain | promoted | false share | trials |")
    print("|---|---|---|---|---|---|")
    for share in (1.0, *sorted({parts["search"], parts["person"], parts["agent"]}, reverse=True)):
        _tell("alone", share, sequential_shares(Stream(alone, "shares"), ["search"] * 60, {"search": share}))
    sources = (["agent"] * FLOOD + ["search"]) * 30
    flooded = replace(alone, hypotheses=len(sources))
    useless = np.array([source == "agent" for source in sources])
    for purses, names in (({"all": 1.0}, ["all"] * len(sources)), (parts, sources)):
        stream = Stream(flooded, "shares")
        stream.effects[:, useless] = 0.0
        _tell("flooded", purses.get("search", 1.0), sequential_shares(stream, names, purses))


def _tell(queue: str, share: float, ledger: Ledger) -> None:
    false = float((ledger.false / np.maximum(ledger.promoted, 1)).mean())
    print(
        f"| {queue} | {share:.2f} | {ledger.true_gain.mean():.2f} | {ledger.promoted.mean():.2f} | {false:.3f} "
        f"| {ledger.trials.mean():.0f} |"
    )


if __name__ == "__main__":
    main()
