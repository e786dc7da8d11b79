"""How often the guard on starved trials holds an honest promotion, and how often a spinner passes it, by its room.

    PYTHONPATH=include:plugins python perf/starved_holds.py --experiments 40 [--kind short] [--neighbours 0]

An experiment is what a sweep does: real trials of the local runner, two at a time, production's five seeds and the
candidate's look by look, with the measured costs of each; scores are made up so that nothing but cost can keep it from
promotion. Honest: the candidate's program is production's. Spinner: it works until a moment passes. The gate decides with
the room that it has and, on the same trials, with narrower ones; how loaded the machine was stands with each experiment.
Adds to perf/results/starved_holds.json, so that it can be stopped and go on.
"""

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

from measured import RESULTS, keep
from scipy.stats import beta

from auto_benchmark.artifacts.benchmark_data import BenchmarkData
from auto_benchmark.artifacts.split_seeds import PUBLISHED
from auto_benchmark.contract.measured import COSTS, CPU, CPU_AT_MOST
from auto_benchmark.contract.trial import BenchmarkRef, TrialConfig
from auto_benchmark.project.configuration import load_benchmark, load_solution
from auto_benchmark.promotion import guarding
from auto_benchmark.promotion.gate import decide
from auto_benchmark.promotion.schema import Evidence, Noise, Observation, Verdict
from auto_benchmark.registry.guard import Guard
from auto_benchmark.runners.local import LocalRunner
from auto_benchmark.runners.runner import TrialRequest
from auto_benchmark.settings import Settings
from auto_benchmark.stats.looks import LOOKS

ROOT = Path(__file__).resolve().parent.parent
NAME = "starved_holds"
SPINS = "import time\nuntil = time.monotonic() + {seconds}\nwhile time.monotonic() < until: pass\n"
WORKS = "import json, random\nfor n in range({rounds}): random.random()\n"
KINDS = {"short": 0, "long": 0, "spinner of 1 s": 1.0, "spinner of 2 s": 2.0, "spinner of 4 s": 4.0}
"""Honest ones on the toy's scale (a tenth of a second) and the bundled solution's; seconds that a spinner takes."""
ROOMS = {
    "2 or 0.5 s": (2.0, 0.5), "4 or 1 s": (4.0, 1.0), "9 or 1 s": (9.0, 1.0), "9 or 1.5 s": (9.0, 1.5),
    "9 or 2 s": (9.0, 2.0), "9 or 3 s": (9.0, 3.0),
}  # fmt: skip
"""Beyond what production got: times, or seconds, whichever is more."""
ARMS = {
    "starved": "of a low priority on a machine with more to do than it can",
    "shared": "of the usual priority on such a machine",
    "quiet": "on a machine that does nothing else",
}
CONTROL_SEEDS, SIDE_BY_SIDE = 5, 2
BUSY = "while True: pass"


class Trials:
    """Runs trials, each with files of its own."""

    def __init__(self, home: Path) -> None:
        settings = Settings(home=home)
        self.home, self.runner = home, LocalRunner()
        self.solution = load_solution(settings, "memory_retrieval")
        benchmark = load_benchmark(settings, "memory")
        self.ref = BenchmarkRef(name="memory", version=benchmark.benchmark.version)
        self.view = BenchmarkData(benchmark.path, settings.root, PUBLISHED).view("search", 0.25)
        self._pool = ThreadPoolExecutor(SIDE_BY_SIDE)

    def costs(self, jobs: Sequence[tuple[str, int]]) -> list[dict[str, float]]:
        """What each (program, seed) costs; the program is Python, or '' for the bundled solution's."""
        return list(self._pool.map(self._cost, jobs))

    def _cost(self, job: tuple[str, int]) -> dict[str, float]:
        program, seed = job
        output = Path(tempfile.mkdtemp(dir=self.home))
        config = TrialConfig(
            params=self.solution.solution.defaults, seed=seed, subset=0.25, budget_s=120.0, benchmark=self.ref
        )
        command = ["python", "-c", program] if program else self.solution.solution.command
        request = TrialRequest(
            f"t{seed}", command, "", self.solution.path, config, self.view, output, self.solution.solution.resources
        )
        ended = self.runner.run(request)
        shutil.rmtree(output)
        if ended.failure is not None:
            raise SystemExit(f"a trial failed: {ended.message}")
        found = {name: getattr(ended, name) for name in (*COSTS, CPU_AT_MOST)}
        return {name: round(value, 4) for name, value in found.items() if value is not None}


def experiment(trials: Trials, kind: str, first: int) -> dict[str, Any]:
    """One experiment until the narrowest room passes it, or the cap; how it ends with each room."""
    load = os.getloadavg()[0]
    honest = "" if kind == "long" else WORKS.format(rounds=200_000)
    program = honest + (SPINS.format(seconds=KINDS[kind]) if KINDS[kind] else "")
    looks = iter(LOOKS)
    n = next(looks)
    measured = trials.costs(
        [*((honest, first + i) for i in range(CONTROL_SEEDS)), *((program, first + 100 + i) for i in range(n))]
    )
    control, candidate = measured[:CONTROL_SEEDS], measured[CONTROL_SEEDS:]
    ended: dict[str, str] = {}
    while True:
        for room, size in ROOMS.items():
            verdict = judged(candidate, control, size)
            if room not in ended and (verdict.is_final or n == LOOKS[-1]):
                ended[room] = verdict if verdict.is_final else "held"
        if len(ended) == len(ROOMS):
            break
        more = next(looks)
        candidate += trials.costs([(program, first + 100 + i) for i in range(n, more)])
        n = more
    return {
        "kind": kind, "load": round(load, 1), "ended": ended, "seeds": n,
        **{name: round(statistics.fmean(t[name] for t in candidate), 3) for name in (CPU, CPU_AT_MOST)},
        "production_cpu_s": round(statistics.fmean(t[CPU] for t in control), 3),
        "candidate": [list(t.values()) for t in candidate], "control": [list(t.values()) for t in control],
    }  # fmt: skip


def judged(
    candidate: Sequence[dict[str, float]], control: Sequence[dict[str, float]], room: tuple[float, float]
) -> Verdict:
    """The gate's word on costs: the candidate is better beyond doubt."""

    def side(measured: Sequence[dict[str, float]], score: float, first: int) -> list[Observation]:
        return [
            Observation(seed=first + i, metrics={"accuracy": score + i / 1000, **costs})
            for i, costs in enumerate(measured)
        ]

    evidence = Evidence(
        metric="accuracy", higher_is_better=True, promotion_threshold=0.02, leader_score=0.7,
        noise=Noise(sd=0.003, df=50), candidate=side(candidate, 0.9, 100), control=side(control, 0.6, 1),
    )  # fmt: skip
    starved = Guard(name=CPU_AT_MOST, within=room[0], absolute=room[1])
    with mock.patch.object(guarding, "STARVED", starved):
        guards = guarding.gate_guards([], "accuracy", evidence.candidate, evidence.control, scored={"accuracy"})
        return decide(evidence, guards=guards).verdict


@contextlib.contextmanager
def neighbours(count: int) -> Iterator[None]:
    """Other work of the machine, of usual priority."""
    busy = [subprocess.Popen([sys.executable, "-S", "-c", BUSY], start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """By kind and arm: how many did not pass with each room, with the exact 95 % interval (Clopper & Pearson 1934)."""
    found: dict[str, Any] = {}
    for kind in KINDS:
        for arm in ARMS:
            some = [row for row in rows if row["kind"] == kind and row["arm"] == arm]
            if some:
                found[f"{kind}, {arm}"] = {
                    "experiments": len(some),
                    "load": [min(row["load"] for row in some), max(row["load"] for row in some)],
                    **{name: round(statistics.fmean(row[name] for row in some), 3) for name in (CPU, CPU_AT_MOST)},
                    "not_promoted": {
                        room: _rate([row["ended"][room] != Verdict.PROMOTE for row in some]) for room in ROOMS
                    },
                    "held": {room: _rate([row["ended"][room] == "held" for row in some]) for room in ROOMS},
                }
    return found


def _rate(happened: Sequence[bool]) -> dict[str, Any]:
    count, of = sum(happened), len(happened)
    low = float(beta.ppf(0.025, count, of - count + 1)) if count else 0.0
    high = float(beta.ppf(0.975, count + 1, of - count)) if count < of else 1.0
    return {"count": count, "share": round(count / of, 3), "interval": [round(low, 3), round(high, 3)]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--experiments", type=int, default=40, help="of each kind")
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--arm", choices=ARMS, required=True, help="what the machine is like meanwhile")
    parser.add_argument("--neighbours", type=int, default=0, help="processes that never rest, beside what else runs")
    asked = parser.parse_args()
    file = RESULTS / f"{NAME}.json"
    rows = json.loads(file.read_text())["rows"] if file.exists() else []
    with tempfile.TemporaryDirectory(prefix="ab-perf-") as home, neighbours(asked.neighbours):
        trials = Trials(Path(home))
        for number in range(asked.experiments):
            for kind in asked.kind or KINDS:
                row = {"arm": asked.arm, "nice": os.nice(0), "neighbours": asked.neighbours}
                rows.append({**row, **experiment(trials, kind, 1000 * number)})
                told = summary(rows)
                keep(NAME, {"cores": os.cpu_count(), "isolated_by": trials.runner.isolated_by, **told, "rows": rows})
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
