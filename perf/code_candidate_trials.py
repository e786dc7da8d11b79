"""Trials of changed code: a patch on the bundled solution, its own program run as the trial contract has it, scored here.

The program is a process of its own with the contract's variables and nothing else; it is not confined, and no sealed
answer is on its disk below the data that it is given.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memory_retrieval_trials import SOLUTION, _module, answers, inputs

from auto_benchmark.documents import load
from auto_benchmark.registry.benchmark import Benchmark
from auto_benchmark.registry.solution import Solution

ROOT = Path(__file__).resolve().parent.parent
PATCHES = ROOT / "perf" / "code_candidates"
SPLITS = load(Benchmark, ROOT / "include" / "benchmarks" / "memory" / "benchmark.yaml").splits
TRAIN = (SPLITS.train.seed, SPLITS.train.worlds)
PLACES = {
    "search": (SPLITS.search.seed, SPLITS.search.worlds),
    "gate": (SPLITS.gate.seed, SPLITS.gate.worlds),
    "hidden": (900_018, 50),  # worlds of no split
}
DEFAULTS = load(Solution, SOLUTION / "solution.yaml").defaults
BEST = DEFAULTS | {
    "lexical_weight": 0.5, "expansion_terms": 10, "time_filter": True, "rerank_weight": 0.8, "top_k": 10,
    "update_handling": "latest", "multi_hop_steps": 2, "abstention_threshold": 0.5,
}  # fmt: skip
"""The best configuration of knobs known (docs/solutions/memory_retrieval.md): what every candidate is compared with."""
LIMIT_S = 120
SCRATCH = Path(tempfile.mkdtemp(prefix="ab-code-"))


@dataclass(frozen=True)
class Ran:
    """One trial: its accuracy and each item's, in the order of their ids; or why it has none."""

    accuracy: float | None
    items: str
    failure: str


@cache
def tree(name: str) -> Path:
    """The solution's folder with the patch of a candidate; ``base`` has none."""
    folder = shutil.copytree(SOLUTION, SCRATCH / "trees" / name, ignore=shutil.ignore_patterns("__pycache__"))
    if name != "base":
        subprocess.run(["git", "apply", PATCHES / f"{name}.diff"], cwd=folder, check=True)
    return folder


@cache
def _data(place: str) -> Path:
    folder = SCRATCH / "data" / place
    folder.mkdir(parents=True)
    (folder / "train.jsonl").symlink_to(inputs(*TRAIN, with_answers=True))
    (folder / "inputs.jsonl").symlink_to(inputs(*PLACES[place]))
    return folder


def ran(name: str, place: str, seed: int, folder: Path | None = None) -> Ran:
    """One trial of a candidate, or of the code in ``folder``, on the best configuration of knobs."""
    output = Path(tempfile.mkdtemp(dir=SCRATCH))
    told = {
        "PATH": os.defpath, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
        "AB_CONFIG_JSON": json.dumps({"params": BEST, "seed": seed}),
        "AB_DATA_DIR": str(_data(place)), "AB_OUTPUT_DIR": str(output),
    }  # fmt: skip
    try:
        ended = subprocess.run(
            [sys.executable, "train.py"], cwd=folder or tree(name), env=told,
            capture_output=True, text=True, check=False, timeout=LIMIT_S,
        )  # fmt: skip
        if ended.returncode:
            return Ran(None, "", f"exit {ended.returncode}: {ended.stderr.strip().splitlines()[-1]}")
        rows = [json.loads(line) for line in (output / "predictions.jsonl").read_text().splitlines()]
    except subprocess.TimeoutExpired:
        return Ran(None, "", f"no answer within {LIMIT_S} s")
    finally:
        shutil.rmtree(output, ignore_errors=True)
    scores = _module("scorer").score({row["id"]: row["answer"] for row in rows}, answers(*PLACES[place]))
    right = scores.items["accuracy"]
    return Ran(scores.metrics["accuracy"], "".join(str(int(right[item])) for item in sorted(right)), "")
