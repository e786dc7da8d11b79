"""Writes the folder of a finished construction; every file is written whole, and the benchmark's folder too."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auto_benchmark import atomic, documents
from auto_benchmark.construction import answers
from auto_benchmark.construction.answering import AnswerSheet
from auto_benchmark.construction.build import Built
from auto_benchmark.construction.candidate import learning
from auto_benchmark.construction.item import Item
from auto_benchmark.construction.panel import Panel
from auto_benchmark.construction.request import ConstructionRequest
from auto_benchmark.construction.stages import write_rows

BENCHMARK, PRIVILEGED = "benchmark", "privileged.jsonl"


def slice_of(item: Item) -> str:
    """Name of the item's subtask as a slice of the benchmark."""
    return f"{item.source}_{item.form}"


def write_benchmark(out: Path, request: ConstructionRequest, built: Built, *, version: str) -> None:
    """Write ``benchmark/``: what is handed to others. Keys stand in it, evidence does not."""
    with atomic.replaced_directory(out / BENCHMARK) as draft:
        for split, items in built.splits.items():
            write_rows(draft / f"{split}.jsonl", map(_row, items))
            for item in items:
                if item.asked.media is not None:
                    atomic.write_bytes(draft / str(item.media_name), item.asked.media.content)
        shutil.copyfile(Path(str(answers.__file__)), draft / "scorer.py")
        atomic.write_text(draft / "benchmark.yaml", documents.to_yaml(declared(request, built, version)))


def declared(request: ConstructionRequest, built: Built, version: str) -> dict[str, Any]:
    """``benchmark.yaml``."""
    return {
        "name": request.name,
        "version": version,
        "task": request.request,
        "scorer": "scorer.py",
        "boards": {request.name: {"metric": "accuracy", "higher_is_better": True}},
        "slices": sorted({slice_of(item) for item in built.items}),
        "splits": {split: {"items": f"{split}.jsonl"} for split in built.splits},
    }


def _row(item: Item) -> dict[str, Any]:
    return {"id": item.id, "input": item.input(), "answer": item.answer, "slice": slice_of(item)}


def write_privileged(out: Path, built: Built) -> None:
    """Write evidence and keys of every item, for the check of the benchmark; it stays with its owner."""
    write_rows(
        out / PRIVILEGED,
        ({**item.record(), "split": split} for split, items in built.splits.items() for item in items),
    )


def write_candidates(out: Path, panel: Panel, sheet: AnswerSheet, built: Built) -> None:
    """Write who answered what: one line per candidate, over the items of ``search`` and ``gate``."""
    write_rows(out / "candidates.jsonl", candidate_rows(panel, sheet, built))


def candidate_rows(panel: Panel, sheet: AnswerSheet, built: Built) -> list[dict[str, Any]]:
    """One row per candidate, the best first."""
    parts = {split: built.splits[split] for split in ("search", "gate")}
    every = [item for items in parts.values() for item in items]
    rows = []
    for candidate in panel.candidates:
        right = sheet.right[candidate.name]
        rows.append({
            "name": candidate.name, "version": candidate.version, "kind": candidate.kind.value,
            "learned": learning(candidate).value, "items": len(every),
            "accuracy": _accuracy(right, every),
            **{f"accuracy_{split}": _accuracy(right, items) for split, items in parts.items()},
            "subtasks": {name: _accuracy(right, [i for i in every if slice_of(i) == name])
                         for name in sorted({slice_of(i) for i in every})},
            "failed": sheet.failed.get(candidate.name), "right": {item.id: int(right[item.id]) for item in every},
        })  # fmt: skip
    return sorted(rows, key=lambda row: (-row["accuracy"], row["name"]))


def _accuracy(right: Mapping[str, bool], items: Sequence[Item]) -> float:
    return sum(right[item.id] for item in items) / len(items) if items else 0.0


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write one JSON document for people and programs."""
    atomic.write_text(path, json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
