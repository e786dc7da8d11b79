"""How well `check`'s probability of a night holds: predicted as `stats predictions` does, in histories of known truth.

    nice python perf/prediction_calibration.py [PROJECTS] [WORLDS]

Two kinds of history. *As assumed*: hypotheses gain what the prediction assumes they do, so that what is left is the error of
an estimated noise and of a control that is used again. *Stored trials*: the loop of perf/simulated_loop.py in worlds of
stored real trials, where hypotheses gain what they gain. Results go to perf/results/prediction_calibration.json.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "perf"), str(ROOT / "include")]

import numpy as np  # noqa: E402
import simulated_loop  # noqa: E402
from measured import keep  # noqa: E402
from search_table import TABLE  # noqa: E402
from search_table import World as Table  # noqa: E402
from simulated_loop import THRESHOLD, Loop  # noqa: E402
from simulated_world import World  # noqa: E402

from auto_benchmark.hypotheses.search.rounds import MOST_EXPERIMENTS  # noqa: E402
from auto_benchmark.project.prospects import usual_night  # noqa: E402
from auto_benchmark.promotion.gate import Case  # noqa: E402
from auto_benchmark.promotion.level import DISCOVERIES  # noqa: E402
from auto_benchmark.promotion.past_nights import predicted  # noqa: E402
from auto_benchmark.promotion.schema import Decision, Evidence  # noqa: E402
from auto_benchmark.registry.schedule import Budget  # noqa: E402
from auto_benchmark.stats.calibration import Calibration, calibration  # noqa: E402
from auto_benchmark.stats.simulation.scenario import USUAL_EFFECTS  # noqa: E402

PLAN = usual_night(Budget())
SD, NIGHTS = 0.009, 10
USUAL = 60, 20
"""Projects as assumed, and worlds of stored trials from each table."""
BUDGET = 400
"""Trials of a loop on stored trials; most end earlier, with nothing left to try."""
TABLES = {"first table": TABLE, "held-out table": TABLE.with_name("held_out_table.csv")}


@dataclass
class Nights:
    """What was predicted of each night and what it promoted; knows at dusk what the last later look has shown."""

    made: list[tuple[int, float, bool]] = field(default_factory=list)
    unpredicted: int = 0
    number: int = 0
    known: Case | None = None
    _basis: Case | None = None
    _promoted: bool = False

    def decided(self, evidence: Evidence, decision: Decision) -> None:
        """Take one look of the gate in."""
        case = Case(evidence=evidence)
        self._basis = self._basis or self.known or case
        self._promoted |= decision.verdict in DISCOVERIES
        if len(evidence.candidate) > 1 or self.known is None:
            self.known = case

    def end(self) -> None:
        """Predict the night that is over from what was known before it; one without decisions is none."""
        if self._basis is None:
            return
        self.number += 1
        chance = predicted(self._basis, PLAN)
        if chance is None:
            self.unpredicted += 1
        else:
            self.made.append((self.number, chance, self._promoted))
        self._basis, self._promoted = None, False


class AssumedWorld:
    """Hypotheses as the prediction assumes them; a configuration is its hypothesis' number."""

    def __init__(self, seed: int) -> None:
        self.rng, self.trials, self.rival, self.base = np.random.default_rng(seed), 0, 0.0, {"id": 0}
        self.truths, self.table, self.knobs = {0: 0.5}, self, {}

    def key(self, params: dict) -> int:
        return params["id"]

    def truth(self, params: dict) -> float:
        return self.truths[params["id"]]

    def gate(self, params: dict) -> float:
        self.trials += 1
        return self.truth(params) + SD * float(self.rng.standard_normal())

    def hypothesis(self, base: dict) -> dict:
        """A new configuration, better or worse than ``base`` as assumed."""
        shares = [effect.share for effect in USUAL_EFFECTS]
        effect = USUAL_EFFECTS[int(self.rng.choice(len(shares), p=shares))]
        gain = max(SD, THRESHOLD) * float(self.rng.uniform(effect.low, effect.high))
        made = {"id": len(self.truths)}
        self.truths[made["id"]] = self.truth(base) + gain
        return made


def as_assumed(seed: int) -> Nights:
    """Ten nights of three hypotheses; what is promoted is the next control."""
    world, nights = AssumedWorld(seed), Nights()
    loop = Loop(world, sys.maxsize)
    loop.control = [world.gate(world.base) for _ in range(PLAN.control)]
    with listening(nights):
        for _ in range(NIGHTS):
            for _ in range(MOST_EXPERIMENTS):
                params = world.hypothesis(loop.run.production)
                decision = loop._judge(params)
                if decision is not None and decision.verdict in DISCOVERIES:
                    loop.run.production = params
                    loop.control = [world.gate(params) for _ in range(PLAN.control)]
            nights.end()
    return nights


def on_stored_trials(table: Table, seed: int) -> Nights:
    """The loop, a cycle a night, until its budget is spent or nothing is left to try."""
    nights = Nights()
    loop = Loop(World(table, seed), BUDGET)
    with listening(nights):
        going = True
        while going:
            going = loop.cycle()
            nights.end()
    return nights


@contextmanager
def listening(nights: Nights) -> Iterator[None]:
    """While it lasts, every decision of a simulated loop is told to ``nights``."""
    gate = simulated_loop.decide

    def decide(evidence: Evidence) -> Decision:
        decision = gate(evidence)
        nights.decided(evidence, decision)
        return decision

    simulated_loop.decide = decide
    try:
        yield
    finally:
        simulated_loop.decide = gate


def compared(histories: Iterable[Nights]) -> dict:
    """All nights of many histories, and the same by the night's number."""
    histories = list(histories)
    made = [night for each in histories for night in each.made]
    parts = {"all nights": made, "first": [m for m in made if m[0] == 1], "second": [m for m in made if m[0] == 2]}
    parts["third and later"] = [m for m in made if m[0] > 2]
    found = {
        name: _told(calibration([(p, happened) for _, p, happened in part])) for name, part in parts.items() if part
    }
    return {"histories": len(histories), "unpredicted": sum(each.unpredicted for each in histories), **found}


def _told(found: Calibration) -> dict:
    rows = [{**asdict(row), "holds": row.holds} for row in (found.whole, *found.rows)]
    rounded = [{k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()} for row in rows]
    for row in rounded:
        row["interval"] = [round(end, 4) for end in row["interval"]]
    return {"whole": rounded[0], "groups": rounded[1:], "brier": round(found.brier, 4),
            "brier_of_rate": round(found.brier_of_rate, 4)}  # fmt: skip


def measure(projects: int, worlds: int) -> dict:
    """Both kinds of history.

    Args:
        projects: whose hypotheses gain what is assumed.
        worlds: of stored trials, from each table.
    """
    facts: dict = {"projects": projects, "worlds": worlds, "sd": SD, "threshold": THRESHOLD}
    facts["as assumed"] = compared(as_assumed(seed) for seed in range(projects))
    for name, path in TABLES.items():
        table = Table(path)
        facts[name] = compared(on_stored_trials(table, seed) for seed in range(worlds))
    return facts


def main() -> None:
    given = [int(a) for a in sys.argv[1:3]]
    facts = measure(*given, *USUAL[len(given) :])
    for name, found in facts.items():
        if isinstance(found, dict):
            print(f"\n{name}: {found['histories']} histories, {found['unpredicted']} nights of unknown noise")
            for part, told in found.items():
                if isinstance(told, dict):
                    whole = told["whole"]
                    rate = whole["happened"] / whole["predictions"]
                    print(
                        f"  {part:16} {whole['predictions']:5} nights, predicted {whole['predicted']:.3f}, happened "
                        f"{rate:.3f} {whole['interval']}, Brier {told['brier']} (of the rate {told['brier_of_rate']})"
                    )
    keep("prediction_calibration", facts)


if __name__ == "__main__":
    main()
