"""A laboratory task as a benchmark: each item is a verification on sealed inputs of its own, its value the reward.

``lab adopt`` writes a benchmark whose generator and scorer call what stands here. A trial is graded by the code that it
ran; an arena, to which the files are handed in as text, by that text.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Any

from auto_benchmark.artifacts.benchmark_module import Data
from auto_benchmark.contract.scoring import Scores
from auto_benchmark.errors import InputError
from auto_benchmark.lab.catalog import load
from auto_benchmark.lab.task import Task
from auto_benchmark.lab.verification import TaskVerdict, verify
from auto_benchmark.settings import Settings

REWARD, SCORE = "reward", "score"
SEED_BITS = 63
LARGEST_FILE = 4 << 20
"""As the verifier reads at most."""
Texts = tuple[tuple[str, bytes], ...]


def draws(seed: int, count: int) -> Data:
    """So many verifications, each with a seed of its own for its inputs."""
    rng = random.Random(seed)  # noqa: S311 - the seed is the secret
    seeds = [rng.getrandbits(SEED_BITS) for _ in range(count)]
    items = [{"id": f"draw-{n}", "input": "the files of the solution"} for n in range(1, count + 1)]
    return Data([], items, {f"draw-{n}": {"answer": each} for n, each in enumerate(seeds, 1)})


def grade_tree(name: str, tree: Path, answers: Mapping[str, Any], seed: int) -> Scores:
    """Grade the code of a trial.

    Args:
        name: of the task.
        tree: its files.
        answers: of the items.
        seed: of the trial. Together with an item's answer it is the seed of the sealed inputs.

    Raises:
        InputError: a file is missing or too large, or a verification refuses the files; it says why.
    """
    task = _task(name)
    texts = tuple((file, _content(tree / file)) for file in task.anchors.editable)
    found = {item: _verdict(name, texts, _mixed(row["answer"], seed)) for item, row in answers.items()}
    for item, verdict in found.items():
        if not verdict.valid:
            raise InputError(f"{item}: {verdict.reason}")
    return _scores(found)


def grade_texts(name: str, predictions: Mapping[str, Any], answers: Mapping[str, Any]) -> Scores:
    """Grade files that were handed in as text, ``{"name": "content"}`` as JSON; what is not valid earns 0."""
    task = _task(name)
    found = {}
    for item, row in answers.items():
        texts = _handed_in(predictions.get(item), task.anchors.editable)
        if texts is not None:
            found[item] = _verdict(name, texts, int(row["answer"]))
    return _scores({item: found.get(item) for item in answers})


def handed_in(tree: Path, editable: Sequence[str]) -> str:
    """The text that an arena is given: what :func:`grade_texts` reads."""
    return json.dumps({file: (tree / file).read_text(encoding="utf-8") for file in editable}, ensure_ascii=False)


def _mixed(answer: Any, seed: int) -> int:
    return int.from_bytes(sha256(f"{answer} {seed}".encode()).digest()[: SEED_BITS // 8])


def _scores(found: Mapping[str, TaskVerdict | None]) -> Scores:
    rewards = {item: verdict.reward if verdict else 0.0 for item, verdict in found.items()}
    scores = {item: verdict.score for item, verdict in found.items() if verdict and verdict.score is not None}
    items = {REWARD: rewards}
    metrics = {REWARD: fmean(rewards.values())}
    if len(scores) == len(rewards):
        items[SCORE], metrics[SCORE] = scores, fmean(scores.values())
    return Scores(metrics=metrics, items=items)


@cache
def _task(name: str) -> Task:
    return load(Settings(), name)


@lru_cache(maxsize=256)
def _verdict(name: str, texts: Texts, seed: int) -> TaskVerdict:
    """Of the same files on the same inputs asked once: a deterministic trial is run with many seeds of its own."""
    with tempfile.TemporaryDirectory(prefix="ab-lab-graded-") as folder:
        for file, content in texts:
            (Path(folder) / file).write_bytes(content)
        return verify(_task(name), Path(folder), seed=seed)


def _content(path: Path) -> bytes:
    if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST_FILE:
        raise InputError(f"{path.name} is missing, or is not a file of at most {LARGEST_FILE >> 20} MiB")
    return path.read_bytes()


def _handed_in(prediction: Any, editable: Sequence[str]) -> Texts | None:
    try:
        files = json.loads(prediction)
        return tuple((file, files[file].encode()) for file in editable)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
