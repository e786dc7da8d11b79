"""One live run each of our search, Optuna's TPE and random search: real trials, all knobs, the whole search split.

    OMP_NUM_THREADS=1 nice python perf/live_search.py [TRIALS]

At each mark the configuration that a search would recommend (the best mean so far) is judged on the gate split with
seeds of its own; those trials are not counted and no search sees them. Written to perf/results/live_search.json.
"""

import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "perf"), str(ROOT / "include")]

from measured import keep  # noqa: E402
from memory_retrieval_trials import scored  # noqa: E402

from auto_benchmark.documents import load  # noqa: E402
from auto_benchmark.experiments.search.rounds import BASE_SEEDS  # noqa: E402
from auto_benchmark.hypotheses.search import choose, scatter  # noqa: E402
from auto_benchmark.hypotheses.search.results import Tried, results_of  # noqa: E402
from auto_benchmark.hypotheses.search.rounds import LIMITS  # noqa: E402
from auto_benchmark.hypotheses.strategy import Strategy  # noqa: E402
from auto_benchmark.registry.benchmark import Benchmark  # noqa: E402
from auto_benchmark.registry.solution import Params, Solution  # noqa: E402

SOLUTION = load(Solution, ROOT / "include" / "solutions" / "memory_retrieval" / "solution.yaml")
SPLITS = load(Benchmark, ROOT / "include" / "benchmarks" / "memory" / "benchmark.yaml").splits
MARKS = (10, 20, 30, 43, 60, 80)
GATE_SEEDS = (9001, 9002, 9003)


def _place(name: str) -> tuple[int, int]:
    split = getattr(SPLITS, name)
    return split.seed, split.worlds


class Live:
    """Trials as they come in."""

    def __init__(self) -> None:
        self.trials = 0
        self.seen: dict[str, tuple[Params, list[float], list[dict[str, float]]]] = {}

    def run(self, params: Params) -> float:
        entry = self.seen.setdefault(json.dumps(params, sort_keys=True), (params, [], []))
        scores = scored(params, len(entry[1]) + 1, _place("search"), _place("train"))
        self.trials += 1
        entry[1].append(scores.metrics["accuracy"])
        entry[2].append({name: part["accuracy"] for name, part in scores.slices.items()})
        return entry[1][-1]

    @property
    def tried(self) -> list[Tried]:
        return [
            Tried(params, tuple(scores), {n: fmean(p[n] for p in parts) for n in parts[0]})
            for params, scores, parts in self.seen.values()
        ]

    @property
    def recommended(self) -> Params:
        return max(self.seen.values(), key=lambda entry: fmean(entry[1]))[0]


def ours(live: Live) -> Iterator[None]:
    base = SOLUTION.defaults
    while True:
        before = live.trials
        for look, limit in enumerate(LIMITS):
            home = results_of(live.tried, base)
            missing = BASE_SEEDS - (len(home.scores) if home else 0)
            asked = choose.ask(
                Strategy.STRUCTURAL, SOLUTION.knobs, base, live.tried, known_techniques=SOLUTION.techniques,
                look=look, limit=limit,
            )  # fmt: skip
            for params in [base] * max(0, missing) + asked.params:
                live.run(params)
                yield
        if live.trials == before:
            return
        base = live.recommended


def tpe(live: Live) -> Iterator[None]:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))
    study.enqueue_trial(SOLUTION.defaults)
    while True:
        trial = study.ask()
        params: Params = {}
        for name, knob in SOLUTION.knobs.items():
            low, high = knob.range or (0, 1)
            if knob.type == "float":
                params[name] = trial.suggest_float(name, low, high, log=knob.log)
            elif knob.type == "int":
                params[name] = trial.suggest_int(name, int(low), int(high), log=knob.log)
            else:
                params[name] = trial.suggest_categorical(name, knob.choices or [False, True])
        study.tell(trial, live.run(params))
        yield


def at_random(live: Live) -> Iterator[None]:
    rng = random.Random(1)
    live.run(SOLUTION.defaults)
    yield
    while True:
        (params,) = scatter.ask(SOLUTION.knobs, SOLUTION.defaults, live.tried, look=rng.randrange(10**9), limit=1)
        live.run(params)
        yield


def gate(params: Params) -> float:
    return fmean(scored(params, seed, _place("gate"), _place("train")).metrics["accuracy"] for seed in GATE_SEEDS)


def main() -> None:
    budget = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    marks = [mark for mark in MARKS if mark < budget] + [budget]
    start = gate(SOLUTION.defaults)
    print(f"defaults on the gate split: {start:.4f}")
    facts = {"trials": budget, "gate_seeds": len(GATE_SEEDS), "defaults": start, "searches": []}
    for name, search in (("ours", ours), ("Optuna TPE", tpe), ("random", at_random)):
        live, began, seen, known = Live(), time.monotonic(), {}, {}
        for _ in search(live):
            if live.trials in marks:
                key = json.dumps(live.recommended, sort_keys=True)
                known.setdefault(key, None)
                known[key] = known[key] or gate(live.recommended)
                seen[live.trials] = known[key]
            if live.trials >= budget:
                break
        line = ", ".join(f"{mark}: {score:.4f}" for mark, score in seen.items())
        print(f"{name:<11} gate score of the recommended configuration after so many trials: {line}", flush=True)
        facts["searches"].append(
            {
                "search": name,
                "gate": seen,
                "recommended": live.recommended,
                "seconds": round(time.monotonic() - began),
            }
        )
    keep("live_search", facts)


if __name__ == "__main__":
    main()
