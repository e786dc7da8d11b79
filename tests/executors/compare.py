"""Which sequences are compared, how many, and how."""

import logging
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from tests.executors import inline_side
from tests.executors.outcomes import Script

from auto_benchmark.flows.all import FLOWS
from auto_benchmark.flows.flow import Flow

FIRST_SEED = 1
SEQUENCES_IN_CI, SEQUENCES_IN_ACCEPTANCE, LIVE_IN_ACCEPTANCE = 40, 1000, 20
SHARE = {"experiment_sweep": 8, "experiment_sweep_urgent": 5, "production_defense": 4, "leaderboard_scrape": 3}
"""Of the sequences, by flow; any other flow has few ways to go."""


def sequences(count: int, first: int = FIRST_SEED) -> Iterator[tuple[Flow, int]]:
    """``count`` flows with a seed each, the same ones every time: each flow once, then more of those with branches."""
    weights = [SHARE.get(flow.name, 1) for flow in FLOWS]
    drawn = [*FLOWS, *random.Random(first).choices(FLOWS, weights, k=count)][:count]
    yield from zip(drawn, range(first, first + count), strict=True)


def compare_many(drawn: Iterable[tuple[Flow, int]]) -> dict[str, Any]:
    """Compare the sequences; what was seen in them.

    Raises:
        AssertionError: names the flow, the seed and where the executors part.
    """
    from tests.executors.airflow_side import AirflowSide, airflow_database

    airflow_database()
    logging.disable(logging.ERROR)
    sides = {flow.name: AirflowSide(flow) for flow in FLOWS}
    seen: Counter[str] = Counter()
    for flow, seed in drawn:
        run_id = f"drawn_{seed}"
        there = sides[flow.name].play(Script(seed), run_id=run_id, conf={})
        here = inline_side.play(flow, Script(seed), run_id=run_id, conf={})
        assert there.difference(here) == "", f"{flow.name}, seed {seed}: {there.difference(here)}"
        seen += Counter(
            sequences=1, runs=len(here.ended), calls=len(here.taken), failed_runs=sum(here.failed.values())
        )
        seen += Counter(state for states in here.ended.values() for state in states.values())
    logging.disable(logging.NOTSET)
    return dict(seen)


def compare_live(drawn: Iterable[tuple[Flow, int]]) -> dict[str, Any]:
    """The same through Airflow's task runner. It takes ready tasks in any order, so that the order that has to be right
    is that no step comes before one that it waits for.

    Raises:
        AssertionError: names the flow, the seed and where the executors part.
    """
    from tests.executors.airflow_side import airflow_database
    from tests.executors.live import play

    airflow_database()
    logging.disable(logging.ERROR)
    seen: Counter[str] = Counter()
    for flow, seed in drawn:
        run_id = f"live_{seed}"
        there = play(flow, Script(seed), run_id=run_id)
        here = inline_side.play(flow, Script(seed), run_id=run_id, conf={"owner": run_id}, woken=False)
        different = there.unordered().difference(here.unordered())
        assert different == "", f"{flow.name}, seed {seed}: {different}"
        assert there.out_of_order(flow) == "", f"{flow.name}, seed {seed}: {there.out_of_order(flow)}"
        seen += Counter(
            sequences=1, runs=len(here.ended), calls=len(here.taken), failed_runs=sum(here.failed.values())
        )
    logging.disable(logging.NOTSET)
    return dict(seen)
