"""Trials of edited trees of the bundled solution in this process, kept one a line with every item's result.

The edited program's own ``run`` trains, answers and writes; reading the data is done once for all trees, as no edit here
touches it (``READ`` is checked to be the solution's). ``perf/code_candidate_trials.py`` runs the same as processes; the
A/A compares both.
"""

from __future__ import annotations

import base64
import contextlib
import importlib
import io
import json
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from code_candidate_trials import PLACES, TRAIN
from memory_retrieval_trials import SOLUTION, _module, _read, answers
from quick_loops import quicken

from auto_benchmark.promotion.schema import Observation

RELOADED = ("train", "checkpoint", "memory", "retrieval", "language", "terms", "logistic")
READ = ("corpus.py", "knobs.py")
"""What reads the data and the configuration: one copy for all trees."""
Bits = str


@dataclass(frozen=True, slots=True)
class Right:
    """Which items one trial has right, in the order of their ids; ``bits`` is empty where it failed."""

    bits: Bits

    @property
    def accuracy(self) -> float:
        """Share of the items."""
        return self.bits.count("1") / len(self.bits)

    def observation(self, seed: int) -> Observation:
        """As the gate sees it."""
        items = {str(i): float(bit == "1") for i, bit in enumerate(self.bits)}
        return Observation(seed=seed, metrics={"accuracy": self.accuracy}, items=items)


def packed(bits: Bits) -> str:
    """Short, for a line of a file."""
    raw = np.packbits(np.frombuffer(bits.encode(), np.uint8) - ord("0")).tobytes()
    return f"{len(bits)}:{base64.b85encode(zlib.compress(raw, 9)).decode()}"


def unpacked(text: str) -> Bits:
    """The inverse of :func:`packed`."""
    count, _, body = text.partition(":")
    raw = np.frombuffer(zlib.decompress(base64.b85decode(body)), np.uint8)
    return "".join(map(str, np.unpackbits(raw)[: int(count)].tolist()))


@contextmanager
def loaded(folder: Path) -> Iterator[Any]:
    """The module ``train`` of a tree, with the tree's own other modules."""
    for name in READ:
        if (folder / name).read_bytes() != (SOLUTION / name).read_bytes():
            raise ValueError(f"{folder.name} changes {name}, which all trees share here")
    importlib.import_module("corpus"), importlib.import_module("knobs")  # the shared ones, from the solution
    kept = {name: sys.modules.pop(name) for name in RELOADED if name in sys.modules}
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield importlib.import_module("train")
    finally:
        sys.path.remove(str(folder))
        for name in RELOADED:
            sys.modules.pop(name, None)
        sys.modules.update(kept)


def right(train: Any, params: Mapping[str, Any], place: str, seed: int) -> Right:
    """One trial of a loaded tree, scored by the benchmark's scorer."""
    knobs = train.Knobs.of(params)
    vocabulary, training, conversations = _read(knobs.stemming, PLACES[place], TRAIN)
    train.Vocabulary = lambda _: vocabulary
    train.read = lambda path, _: training if path.name == "train.jsonl" else conversations
    output = Path(tempfile.mkdtemp(prefix="ab-edited-"))
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            train.run(train.Trial(knobs, seed, 1.0, output, output))
        rows = [json.loads(line) for line in (output / "predictions.jsonl").read_text().splitlines()]
    finally:
        shutil.rmtree(output)
    items = _module("scorer").score({row["id"]: row["answer"] for row in rows}, answers(*PLACES[place])).items
    found = items["accuracy"]
    return Right("".join(str(int(found[item])) for item in sorted(found)))


Tree = Callable[[], Path]


class Bank:
    """Trials in a file; what is not there is run and written.

    Args:
        file: one trial a line.
        tree: makes the folder of a name.
        params: of a name.
    """

    def __init__(self, file: Path, tree: Callable[[str], Path], params: Callable[[str], Mapping[str, Any]]) -> None:
        self.file, self.params, self.ran = file, params, 0
        self.tree = cache(tree)
        self.known: dict[tuple[str, str, int], Right] = {}
        for line in file.read_text().splitlines() if file.exists() else []:
            row = json.loads(line)
            self.known[row["name"], row["place"], row["seed"]] = Right(unpacked(row["right"]))

    def __call__(self, name: str, place: str, seed: int) -> Right:
        """One trial."""
        if (name, place, seed) not in self.known:
            with loaded(self.tree(name)) as train:
                found = right(train, self.params(name), place, seed)
            self.known[name, place, seed] = found
            self.ran += 1
            with self.file.open("a") as lines:
                row = {"name": name, "place": place, "seed": seed, "right": packed(found.bits)}
                lines.write(json.dumps(row) + "\n")
        return self.known[name, place, seed]


def edited(name: str, file: str, old: str, new: str, scratch: Path) -> Path:
    """A copy of the solution with one replacement; ValueError where ``old`` does not stand there once."""
    folder = shutil.copytree(SOLUTION, scratch / name, ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / file).read_text()
    if text.count(old) != 1:
        raise ValueError(f"{file} holds {old!r} {text.count(old)} times")
    (folder / file).write_text(text.replace(old, new))
    return folder


def quickened(folder: Path) -> Path:
    """The same folder with the loops of ``quick_loops``."""
    quicken(folder)
    return folder
