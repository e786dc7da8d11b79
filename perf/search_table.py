"""The stored table as a world to search in: what a trial scores is one of the five seeds that really ran."""

import csv
import json
import math
from pathlib import Path
from statistics import fmean

import numpy as np

from auto_benchmark.hypotheses.search.results import Tried
from auto_benchmark.registry.solution import Knob

TABLE = Path(__file__).resolve().parent / "data" / "search_table.csv"
OTHER = (
    "seed",
    "accuracy",
    "long_context",
    "multi_hop",
    "paraphrased",
    "single_hop",
    "temporal",
    "unanswerable",
    "updated",
)


def _value(text: str):
    try:
        return json.loads(text)
    except ValueError:
        return text


class World:
    """Configurations with their stored scores; ``knobs`` are the table's columns with its values as choices."""

    def __init__(self, table: Path = TABLE) -> None:
        rows = list(csv.DictReader(table.open(encoding="utf-8")))
        self.names = [name for name in rows[0] if name not in OTHER]
        values = {name: list(dict.fromkeys(_value(row[name]) for row in rows)) for name in self.names}
        self.base = {name: levels[0] for name, levels in values.items()}
        self.knobs = {name: Knob(type="choice", choices=v, default=v[0]) for name, v in values.items()}
        self.scores: dict[tuple, list[float]] = {}
        self.parts: dict[tuple, list[dict[str, float]]] = {}
        for row in rows:
            key = tuple(_value(row[name]) for name in self.names)
            self.scores.setdefault(key, []).append(float(row["accuracy"]))
            parts = {name: float(row[name]) for name in OTHER[2:] if row[name]}
            self.parts.setdefault(key, []).append(parts)
        self.means = {key: fmean(scores) for key, scores in self.scores.items()}
        squares = sum((s - self.means[k]) ** 2 for k, v in self.scores.items() for s in v)
        self.sd = math.sqrt(squares / max(1, sum(len(v) - 1 for v in self.scores.values())))
        self.best = max(self.means.values())

    def key(self, params) -> tuple:
        return tuple(params[name] for name in self.names)

    def truth(self, params) -> float:
        return self.means[self.key(params)]

    def trial(self, params, rng: np.random.Generator) -> tuple[float, dict[str, float]]:
        """One trial: a stored seed at random."""
        key = self.key(params)
        i = int(rng.integers(len(self.scores[key])))
        return self.scores[key][i], self.parts[key][i]


class Searching:
    """A search under way: what was tried, trial by trial, and which configuration it would recommend."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.rng, self.trials = world, np.random.default_rng(seed), 0
        self.seen: dict[tuple, tuple[dict, list[float], list[dict[str, float]]]] = {}

    def run(self, params) -> None:
        score, parts = self.world.trial(params, self.rng)
        self.trials += 1
        entry = self.seen.setdefault(self.world.key(params), (dict(params), [], []))
        entry[1].append(score)
        entry[2].append(parts)

    @property
    def tried(self) -> list[Tried]:
        return [
            Tried(params, tuple(scores), {n: fmean(p[n] for p in parts) for n in parts[0]})
            for params, scores, parts in self.seen.values()
        ]

    @property
    def recommended(self) -> dict:
        return max(self.seen.values(), key=lambda entry: fmean(entry[1]))[0]

    @property
    def is_there(self) -> bool:
        """Whether the recommended configuration is within one standard deviation of the best, truly."""
        return self.world.truth(self.recommended) >= self.world.best - self.world.sd
