"""The hidden side of an arena: its seed, its data, and the competitors that it runs on it."""

from __future__ import annotations

import math
import secrets
import statistics
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.declaration import Competitor, Declaration
from arena.store import Measured, Store
from auto_benchmark.artifacts.benchmark_data import BenchmarkData
from auto_benchmark.artifacts.trial_output import read_predictions
from auto_benchmark.contract.scoring import Scores
from auto_benchmark.contract.trial import BenchmarkRef, Stage, TrialConfig, TrialState, config_hash
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.runners.local import LocalRunner
from auto_benchmark.runners.runner import TrialRequest

PARALLEL_RUNS = 2
SEED_BITS = 63


class CreationError(AutoBenchmarkError):
    """A competitor could not be run."""


class HiddenWorld:
    """One benchmark's hidden split. Its seed is drawn once and never leaves the arena's home.

    Args:
        declaration: what the arena is made of.
        benchmark: which benchmark.
        home: of the arena.
        store: of the arena.
    """

    def __init__(self, declaration: Declaration, benchmark: str, home: Path, store: Store) -> None:
        self._declaration, self._name, self._home, self._store = declaration, benchmark, home, store
        self._data = BenchmarkData(declaration.include / "benchmarks" / benchmark, home)
        self._seed = store.seed(benchmark, secrets.randbits(SEED_BITS), datetime.now(UTC))
        self._scorer = self._data.scorer()
        self._ref = BenchmarkRef(name=benchmark, version=self._data.benchmark.version)

    def create(self) -> None:
        """Generate the hidden data and run every competitor that has no score yet; safe to repeat.

        Raises:
            CreationError: when a competitor's trial fails.
        """
        self._data.hidden_view(self._seed)
        self.answers = self._data.hidden_answers(self._seed)
        done = self._store.runs()
        missing = [c for c in self._declaration.of_benchmark(self._name) if self.key(c) not in done]
        with ThreadPoolExecutor(PARALLEL_RUNS) as pool:
            list(pool.map(self._run, missing))

    def key(self, competitor: Competitor) -> str:
        """Identity of a competitor's run: configuration, seed and benchmark version."""
        return f"{config_hash(competitor.solution, competitor.params, self._ref)}-{competitor.seed}"

    def inputs(self) -> bytes:
        """Hidden inputs as JSON Lines, without answers."""
        return (self._data.hidden_view(self._seed) / "inputs.jsonl").read_bytes()

    def score(self, predictions: dict[str, Any]) -> dict[str, Measured]:
        """Grade predictions on the hidden split."""
        return measured(self._scorer.score(predictions, self.answers))

    def _run(self, competitor: Competitor) -> None:
        solution = self._declaration.solutions[competitor.solution]
        with tempfile.TemporaryDirectory(dir=self._home, prefix=".run-") as output:
            result = LocalRunner().run(
                TrialRequest(
                    trial_id=f"arena-{self.key(competitor)}",
                    command=solution.command,
                    image=solution.image,
                    workdir=self._declaration.include / "solutions" / competitor.solution,
                    config=TrialConfig(
                        params={**solution.defaults, **competitor.params},
                        seed=competitor.seed,
                        stage=Stage.SUBMIT,
                        budget_s=solution.resources.budget_s,
                        benchmark=self._ref,
                    ),
                    data_dir=self._data.hidden_view(self._seed),
                    output_dir=Path(output),
                    resources=solution.resources,
                )
            )
            if result.state is not TrialState.DONE:
                raise CreationError(f"{competitor.system}: {result.failure}: {result.message}")
            scores = self.score(read_predictions(Path(output), set(self.answers)))
        self._store.finish_run(self.key(competitor), self._name, competitor.system, scores, datetime.now(UTC))


def measured(scores: Scores) -> dict[str, Measured]:
    """Each metric with the standard error of its mean over items; 0 where there are no per-item values."""
    found = {}
    for name, value in scores.metrics.items():
        items = list(scores.items.get(name, {}).values())
        stderr = statistics.stdev(items) / math.sqrt(len(items)) if len(items) > 1 else 0.0
        found[name] = Measured(round(value, 6), round(stderr, 6), len(items))
    return found
