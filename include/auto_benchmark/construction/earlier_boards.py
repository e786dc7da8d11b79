"""Earlier benchmarks to compare with: who reached what on them, and what their items say."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from auto_benchmark.construction.near_duplicates import Earlier
from auto_benchmark.construction.panel import LEARNED_OTHERWISE, learned_otherwise
from auto_benchmark.construction.stages import read_rows
from auto_benchmark.errors import InputError
from auto_benchmark.stats.applicability import Array

CANDIDATES_FILE = "candidates.jsonl"


@dataclass(frozen=True, slots=True)
class EarlierBoards:
    """What is known of earlier benchmarks.

    Attributes:
        scores: board -> candidate -> accuracy.
        items: board -> number of items behind an accuracy.
        texts: everything that their items say.
    """

    scores: Mapping[str, Mapping[str, float]]
    items: Mapping[str, int]
    texts: Earlier

    def matrix(self, candidates: Sequence[str]) -> tuple[list[str], Array, list[int]]:
        """Candidates that every board knows, (candidates, boards) accuracies, and items per board."""
        common = [name for name in candidates if self.scores and all(name in board for board in self.scores.values())]
        scores = [[self.scores[board][name] for board in self.scores] for name in common]
        return common, np.array(scores, float).reshape(len(common), len(self.scores)), list(self.items.values())


def read_earlier(named: Sequence[str], places: Sequence[Path]) -> EarlierBoards:
    """Read the folders that a request compares with.

    Args:
        named: folders of constructions, or names of benchmarks that one of them has published.
        places: folders that names count from, tried in order.

    Raises:
        InputError: there is no such folder, or its items were never answered.
    """
    scores: dict[str, dict[str, float]] = {}
    items: dict[str, int] = {}
    texts: list[str] = []
    media: list[str] = []
    for name in named:
        folder = next((p / name for p in places if (p / name / CANDIDATES_FILE).is_file()), None)
        if folder is None:
            raise InputError(f"{name!r} is not a folder with a {CANDIDATES_FILE}, which a construction leaves")
        rows = read_rows(folder / CANDIDATES_FILE)
        try:
            scores[name] = {row["name"]: float(row["accuracy"]) for row in rows}
            items[name] = int(rows[0]["items"])
        except (KeyError, IndexError, TypeError, ValueError):
            raise InputError(f"{folder / CANDIDATES_FILE}: is not what a construction leaves") from None
        for system in learned_otherwise(rows):
            raise InputError(f"{folder / CANDIDATES_FILE}: learned: {system} {LEARNED_OTHERWISE}")
        benchmark = folder if (folder / "benchmark.yaml").is_file() else folder / "benchmark"
        texts += _texts(benchmark)
        media += [hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted((benchmark / "media").glob("*"))]
    return EarlierBoards(scores, items, Earlier.of(texts, media))


def _texts(folder: Path) -> list[str]:
    found = []
    for file in sorted(folder.glob("*.jsonl")):
        for row in read_rows(file) if file.name != CANDIDATES_FILE else []:
            given = row.get("input")
            if isinstance(given, dict):
                parts = [given.get("context", ""), given.get("question", ""), *given.get("options", [])]
                found.append("\n".join(str(part) for part in parts if part))
    return found
