"""The bundled memory solution as candidates: its default configuration, and each change that a technique stands for."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auto_benchmark import __version__ as VERSION  # noqa: N812
from auto_benchmark.construction.candidate import Candidate, Kind, Solved
from auto_benchmark.construction.item import Asked
from auto_benchmark.settings import INCLUDE

FOLDER = INCLUDE / "solutions" / "memory_retrieval"
LIMIT_S = 300.0
SEED = 0
"""An entry of a board is one run."""


@dataclass(frozen=True, slots=True)
class BundledSolution:
    """One configuration, run as a trial is: a process with the contract's variables and nothing else.

    Attributes:
        params: knobs that differ from the default.
    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    version: str = VERSION
    kind: Kind = Kind.OWN
    modalities: frozenset[str] = frozenset({"text"})
    sources: frozenset[str] = frozenset({"memory_world"})

    def answer(self, asked: Sequence[Asked], examples: Sequence[Solved]) -> Sequence[object]:
        """Train on the examples' conversations, answer the others.

        Raises:
            OSError, RuntimeError, subprocess.TimeoutExpired: it cannot be started, fails, or takes longer than five
                minutes.
        """
        if not examples:
            return [None] * len(asked)
        with tempfile.TemporaryDirectory(prefix="candidate-") as place:
            view = Path(place)
            _write(view / "train.jsonl", _rows([a for a, _ in examples], [str(key) for _, key in examples]))
            _write(view / "inputs.jsonl", _rows(asked, None))
            given = self.answer_view(view)
        return [given.get(f"q{i}") for i in range(len(asked))]

    def answer_view(self, view: Path) -> Mapping[str, object]:
        """Train on ``train.jsonl``, answer ``inputs.jsonl``. Raises as :meth:`answer` does."""
        with tempfile.TemporaryDirectory(prefix="candidate-") as place:
            output = Path(place)
            config = {"params": dict(self.params), "seed": SEED, "subset": 1.0}
            environment = {"AB_CONFIG_JSON": json.dumps(config), "AB_DATA_DIR": str(view), "AB_OUTPUT_DIR": str(output),
                           "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # fmt: skip
            _run([sys.executable, "train.py"], environment)
            lines = (output / "predictions.jsonl").read_text("utf-8").split("\n")
        return {row["id"]: row["answer"] for row in map(json.loads, filter(None, lines))}


def _run(command: Sequence[str], environment: Mapping[str, str]) -> None:
    ended = subprocess.run(command, cwd=FOLDER, env=environment, capture_output=True, timeout=LIMIT_S)  # noqa: S603, PLW1510
    if ended.returncode:
        said = ended.stderr.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        raise RuntimeError(f"train.py ended with {ended.returncode}: {said[-1]}")


def _rows(asked: Sequence[Asked], answers: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    for i, one in enumerate(asked):
        row = {"id": f"q{i}", "input": {"question": one.question, "context": one.context}}
        yield row if answers is None else {**row, "answer": answers[i]}


def _write(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


CONFIGURATIONS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "latest": {"update_handling": "latest"},
    "time": {"time_filter": True},
    "latest_time": {"update_handling": "latest", "time_filter": True},
    "wide": {"context_window": 4, "top_k": 10, "rerank_weight": 0.8},
    "dense": {"lexical_weight": 0.2},
    "abstaining": {"abstention_threshold": 0.4, "update_handling": "latest"},
}
BUNDLED_SOLUTION: tuple[Candidate, ...] = tuple(
    BundledSolution(f"bundled_{name}", params) for name, params in CONFIGURATIONS.items()
)
