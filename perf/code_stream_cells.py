"""Recorded trials for streams of changes: whole trees and configurations of knobs, on the search, gate and hidden splits.

Trees are those of perf/code_candidates/ and their trials in perf/data/code_candidate_trials.jsonl count; what is missing is
run once and kept in perf/data/code_stream_trials.jsonl.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from code_aa import KEPT as AA_TRIALS
from code_candidate_trials import BEST, PATCHES, ROOT
from edited_trials import Bank, Right, quickened, unpacked
from memory_retrieval_trials import SOLUTION

BASE, LESS_DATA = "base", "less_data"
KNOBS = {
    "knob_expansion": {"expansion_terms": 8}, "knob_length": {"length_norm": 0.6}, "knob_pool": {"top_k": 12},
    "knob_abstention": {"abstention_threshold": 0.45}, "knob_rerank": {"rerank_weight": 1.0},
    "knob_lexical": {"lexical_weight": 0.55},
}  # fmt: skip
"""Neighbours of the best configuration, as a search proposes them."""
HELPS, HARMS = (sorted(each.stem for each in PATCHES.glob(f"{kind}_*.diff")) for kind in ("helps", "harms"))
SHARE = "SAMPLE_SHARE = 0.9", "SAMPLE_SHARE = 0.7"
DEPTH = {"search": 2, "gate": 8, "hidden": 2}
LITTLE = {"search": 1, "gate": 3, "hidden": 1}
"""Seeds of what is plainly worse."""
OF_THE_BASE = 250
CANDIDATES = ROOT / "perf" / "data" / "code_candidate_trials.jsonl"
KEPT = ROOT / "perf" / "data" / "code_stream_trials.jsonl"


def bank_of(scratch: Path) -> Bank:
    """Trials of all cells."""

    def tree(name: str) -> Path:
        folder = shutil.copytree(SOLUTION, scratch / name, ignore=shutil.ignore_patterns("__pycache__"))
        if (PATCHES / f"{name}.diff").exists():  # it may change what the quick loops would pass by
            subprocess.run(["git", "apply", PATCHES / f"{name}.diff"], cwd=folder, check=True)
            return folder
        if name == LESS_DATA:
            file = folder / "memory.py"
            file.write_text(file.read_text().replace(*SHARE))
        return quickened(folder)

    bank = Bank(KEPT, tree, lambda name: BEST | KNOBS.get(name, {}))
    for line in CANDIDATES.read_text().splitlines():
        row = json.loads(line)
        if row["items"]:
            bank.known.setdefault((row["name"], row["place"], row["seed"]), Right(row["items"]))
    return bank


def cells() -> list[str]:
    """Everything that production can be."""
    return [BASE, *HELPS, *KNOBS, LESS_DATA, *HARMS]


def recorded(bank: Bank, name: str, place: str) -> list[Right]:
    """A cell's trials on a split, at least as many as ``DEPTH`` says."""
    wanted = (LITTLE if name in HARMS else DEPTH)[place]
    have = [right for (of, on, _), right in bank.known.items() if (of, on) == (name, place)]
    seed = 3000
    while len(have) < wanted:
        have.append(bank(name, place, seed))
        seed += 1
    return have


def same_as_base() -> list[Right]:
    """Gate trials of the A/A: the base, and edits that keep its meaning, are one distribution."""
    rows = (json.loads(line) for line in AA_TRIALS.read_text().splitlines())
    return [Right(unpacked(row["right"])) for row in rows if row["place"] == "gate"][:OF_THE_BASE]
