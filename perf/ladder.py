"""Measure which knobs of memory_retrieval help, do nothing or harm, and where competitors stand.

    nice .venv/bin/python perf/ladder.py [--seeds 10] [--worlds 5] [--out docs/solutions/memory_retrieval_ladder.md]

Every number is a trial through the contract with the local runner, scored by the benchmark's scorer: on the gate
split with many seeds, and on fresh hidden worlds (drawn here, thrown away afterwards). Nothing in the library reads
the result.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "include"))

from arena.declaration import load_declaration  # noqa: E402
from auto_benchmark.artifacts.benchmark_data import BenchmarkData  # noqa: E402
from auto_benchmark.artifacts.split_seeds import PUBLISHED  # noqa: E402
from auto_benchmark.artifacts.trial_output import read_metrics, read_predictions  # noqa: E402
from auto_benchmark.contract.scoring import Scores  # noqa: E402
from auto_benchmark.contract.trial import BenchmarkRef, Stage, TrialConfig, TrialState  # noqa: E402
from auto_benchmark.documents import load  # noqa: E402
from auto_benchmark.registry.solution import Params, Solution  # noqa: E402
from auto_benchmark.runners.local import LocalRunner  # noqa: E402
from auto_benchmark.runners.runner import TrialRequest  # noqa: E402

SOLUTION = ROOT / "include" / "solutions" / "memory_retrieval"
BENCHMARK = ROOT / "include" / "benchmarks" / "memory"
THRESHOLD = 0.01
Z_ALPHA, Z_POWER = 1.960, 0.842  # one-sided .025, power .8

BEST: Params = {
    "lexical_weight": 0.5,
    "expansion_terms": 10,
    "time_filter": True,
    "rerank_weight": 0.8,
    "update_handling": "latest",
    "multi_hop_steps": 2,
    "abstention_threshold": 0.5,
    "top_k": 10,
}
SINGLE: list[Params] = [
    *({knob: value} for knob, value in BEST.items()),
    {"lexical_weight": 0.2},
    {"lexical_weight": 1.0},
    {"context_window": 0},
    {"context_window": 4},
    {"stemming": "none"},
    {"stemming": "prefix"},
    {"ngram_max": 2},
    {"feedback_terms": 4},
    {"summary_weight": 0.3},
    {"recency_decay": 0.1},
    {"recency_decay": 0.3},
    {"dense_dim": 8},
    {"dense_dim": 96},
    {"term_saturation": 0.6},
    {"length_norm": 0.3},
]


@dataclass(frozen=True, slots=True)
class Place:
    """Data to run on: a view and the sealed answers to it."""

    name: str
    view: Path
    answers: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    scores: Scores
    own: dict[str, float]
    wall_s: float

    def metric(self, name: str) -> float:
        return self.scores.metrics[name]


class Measurement:
    """Runs trials of the solution and remembers what they scored."""

    def __init__(self, home: Path, processes: int) -> None:
        self.solution = load(Solution, SOLUTION / "solution.yaml")
        self.data = BenchmarkData(BENCHMARK, home, PUBLISHED)
        self.scorer = self.data.scorer()
        self.home, self.processes = home, processes
        self.done = itertools.count(1)

    def gate(self) -> Place:
        return Place("gate", self.data.view("gate"), self.data.answers("gate"))

    def hidden(self, seed: int) -> Place:
        return Place(f"hidden {seed % 10_000}", self.data.hidden_view(seed), self.data.hidden_answers(seed))

    def run(self, work: Sequence[tuple[Place, Params, int]]) -> list[Result]:
        with ThreadPoolExecutor(self.processes) as pool:
            return list(pool.map(lambda w: self._trial(*w, total=len(work)), work))

    def _trial(self, place: Place, params: Params, seed: int, total: int) -> Result:
        reference = BenchmarkRef(name="memory", version=self.data.benchmark.version)
        config = TrialConfig(
            params={**self.solution.defaults, **params},
            seed=seed,
            stage=Stage.FULL,
            budget_s=120,
            benchmark=reference,
        )
        with tempfile.TemporaryDirectory(dir=self.home) as output:
            request = TrialRequest(
                "ladder",
                self.solution.command,
                self.solution.image,
                SOLUTION,
                config,
                place.view,
                Path(output),
                self.solution.resources,
            )
            result = LocalRunner().run(request)
            if result.state is not TrialState.DONE:
                raise SystemExit(f"{params} seed {seed}: {result.message}")
            predictions = read_predictions(Path(output), set(place.answers))
            own = read_metrics(Path(output))
        if (n := next(self.done)) % 25 == 0:
            print(f"[{n}/{total}]", file=sys.stderr, flush=True)
        return Result(self.scorer.score(predictions, place.answers), own, result.wall_s)


def text(params: Params) -> str:
    return ", ".join(f"{k} = {json.dumps(v)}" for k, v in params.items()) or "default"


def spread(values: Sequence[float]) -> str:
    sd = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.fmean(values):.4f} ± {sd:.4f}"


def discordance(a: Sequence[Result], b: Sequence[Result]) -> float:
    """Share of items that exactly one of two configurations answers, seed by seed."""
    shares = []
    for x, y in zip(a, b, strict=True):
        left, right = x.scores.items["accuracy"], y.scores.items["accuracy"]
        shares.append(statistics.fmean(left[i] != right[i] for i in left))
    return statistics.fmean(shares)


def detectable(q: float, items: int, seed_sd: float, seeds: int) -> float:
    """Smallest true gain found with power .8: item variance q/n, and both arms' seed variance."""
    return (Z_ALPHA + Z_POWER) * math.sqrt(q / items + 2 * seed_sd**2 / seeds)


def gate_table(measurement: Measurement, seeds: Sequence[int]) -> list[str]:
    """Every configuration on the gate split."""
    without = {knob: {k: v for k, v in BEST.items() if k != knob} for knob in BEST}
    configurations: list[tuple[str, Params]] = [("default", {}), *((text(p), p) for p in SINGLE), ("best", BEST)]
    configurations += [(f"best without {knob}", rest) for knob, rest in without.items()]
    place = measurement.gate()
    flat = measurement.run([(place, params, seed) for _, params in configurations for seed in seeds])
    rows = [flat[i : i + len(seeds)] for i in range(0, len(flat), len(seeds))]
    base = rows[0]
    lines = [
        "| configuration | accuracy | Δ accuracy | f1 | Δ f1 | latency ms | memory MB | discordance |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (name, _), row in zip(configurations, rows, strict=True):
        accuracy, f1 = ([r.metric(m) for r in row] for m in ("accuracy", "f1"))
        delta = [
            statistics.fmean(v) - statistics.fmean(r.metric(m) for r in base)
            for v, m in ((accuracy, "accuracy"), (f1, "f1"))
        ]
        latency, memory = (statistics.median(r.own[m] for r in row) for m in ("latency_ms", "memory_mb"))
        lines.append(
            f"| {name} | {spread(accuracy)} | {delta[0]:+.4f} | {spread(f1)} | {delta[1]:+.4f} "
            f"| {latency:.3f} | {memory:.0f} | {discordance(base, row):.3f} |"
        )
    sds = [statistics.stdev(r.metric("accuracy") for r in row) for row in rows if len(row) > 1]
    pooled = math.sqrt(statistics.fmean(s * s for s in sds)) if sds else 0.0
    items = len(place.answers)
    lines += [
        "",
        f"{items} items, {len(seeds)} seeds each; pooled seed sd {pooled:.4f}; "
        f"median trial {statistics.median(r.wall_s for r in flat):.2f} s.",
        "",
    ]
    lines += ["| discordance q | detectable gain, 3 seeds | 5 seeds | 12 seeds |", "|---|---|---|---|"]
    lines += [
        f"| {q:.2f} | " + " | ".join(f"{detectable(q, items, pooled, n):.4f}" for n in (3, 5, 12)) + " |"
        for q in (0.01, 0.02, 0.05, 0.10, 0.20)
    ]
    return lines


def hidden_table(measurement: Measurement, worlds: int, seeds: Sequence[int]) -> list[str]:
    """Competitors, default, best and each helpful knob alone on fresh hidden worlds."""
    competitors = list(load_declaration(ROOT / "include" / "arena").competitors.values())
    places = [measurement.hidden(secrets.randbits(63)) for _ in range(worlds)]
    entries: list[tuple[str, Params, Sequence[int]]] = [(c.system, c.params, [c.seed]) for c in competitors]
    entries += [("default", {}, seeds[:3]), ("best", BEST, seeds[:3])]
    entries += [(text(p), p, seeds[:1]) for p in SINGLE[: len(BEST)]]
    work = [(place, params, seed) for _, params, used in entries for place in places for seed in used]
    flat = iter(measurement.run(work))
    lines = [
        f"| system | metric | {' | '.join(f'world {i + 1}' for i in range(worlds))} | mean ± sd |",
        "|---|---|" + "---|" * (worlds + 1),
    ]
    for name, _, used in entries:
        by_world = [[next(flat) for _ in used] for _ in places]
        for metric in ("accuracy", "f1"):
            means = [statistics.fmean(r.metric(metric) for r in results) for results in by_world]
            lines.append(f"| {name} | {metric} | " + " | ".join(f"{m:.4f}" for m in means) + f" | {spread(means)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--worlds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as home:
        measurement = Measurement(Path(home), arguments.processes)
        seeds = list(range(1, arguments.seeds + 1))
        report = [
            "# Measured ladder of memory_retrieval",
            "",
            "Written by `perf/ladder.py`.",
            "",
            "## Gate split",
            "",
        ]
        report += gate_table(measurement, seeds)
        report += ["", "## Fresh hidden worlds", "", *hidden_table(measurement, arguments.worlds, seeds), ""]
    report.append(f"Took {time.monotonic() - started:.0f} s with {arguments.processes} processes.")
    content = "\n".join(report) + "\n"
    if arguments.out:
        arguments.out.write_text(content, encoding="utf-8")
    print(content)


if __name__ == "__main__":
    main()
