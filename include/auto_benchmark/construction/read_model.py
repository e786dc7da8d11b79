"""Constructions of a folder as the page shows them: plain JSON, those that still go on among them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter

from auto_benchmark import documents
from auto_benchmark.construction.belonging import REQUEST_FILE, STAGES
from auto_benchmark.construction.edited import checked_trajectory
from auto_benchmark.construction.request import ConstructionRequest
from auto_benchmark.construction.stages import read_rows
from auto_benchmark.documents import Strict
from auto_benchmark.errors import ConfigError, Fault
from auto_benchmark.listing import begun_last_first, read_each

REPORT, QUALITY, CANDIDATES = "REPORT.md", "quality.json", "candidates.jsonl"
LONGEST_REPORT = 400_000
"""Characters of a report that are shown."""
STAGES_REACHED = (("answers_*.jsonl", "answering"), ("items_*.jsonl", "building"), ("choice.yaml", "building"),
                  ("trajectory.jsonl", "searching"), ("quotas.yaml", "planned"))  # fmt: skip
"""What lies in the folder of the stages -> what is being done, the last stage first."""


class _Loose(Strict):
    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class _Value(_Loose):
    value: float
    interval: tuple[float, float]
    floor: float | None = None


class _Panel(_Loose):
    systems: int
    external: int
    planted: int
    real: bool
    note: str


class _Duplicates(_Loose):
    near: int
    near_share: float


class _System(_Loose):
    attack_success: _Value
    over_refusal: _Value


class _Safety(_Loose):
    attacks: int
    attack_success: _Value
    over_refusal: _Value
    static: _Value
    systems: dict[str, _System]


class _Quality(_Loose):
    objective: dict[str, _Value]
    instrument: dict[str, _Value] = {}
    panel: _Panel
    items: int
    wrong_keys: int
    wrong_keys_upper: float
    duplicates: _Duplicates
    rejected: dict[str, int]
    suspects: int
    negative_discrimination: int
    warnings: list[str]
    safety: _Safety | None = None


class _Answers(_Loose):
    name: str
    version: str
    kind: str
    items: int
    accuracy: float
    accuracy_search: float
    accuracy_gate: float
    subtasks: dict[str, float]


def construction_names(folder: Path) -> list[str]:
    """Folders of constructions in ``folder``, the one begun last first."""
    return [place.name for place in begun_last_first(folder.glob(f"*/{REQUEST_FILE}"))]


def read_constructions(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """Some of them in the order of their names here; those that cannot be read are named.

    Returns:
        ``{"constructions": [{"folder", "name", "request", "sources", "state", "progress", "best", "kept", "requested",
        "warnings"}], "faults": [{"folder", "fault"}]}``.
    """
    found, faults = read_each(names, lambda name: _summary(construction(folder, name)))
    return {"constructions": found, "faults": faults}


def construction(folder: Path, name: str) -> dict[str, Any]:
    """One construction: what was asked for, how far it is, and what it is worth once it is finished.

    Raises:
        InputError: its files are damaged; says which.
    """
    place = folder / name
    request = documents.load(ConstructionRequest, place / REQUEST_FILE)
    rows = _trajectory(place / STAGES / "trajectory.jsonl")
    quality = _checked(_Quality, place / QUALITY) if (place / REPORT).is_file() else None
    return {
        "folder": name, "name": request.name, "request": request.request, "domain": request.domain,
        "sources": request.sources or sorted({str(row["subtask"]).partition(".")[0] for row in rows}),
        "requested": request.target_size, "kept": None if quality is None else quality["items"],
        "state": "finished" if quality is not None else _state(place / STAGES),
        "progress": {"tried": len(rows), "planned": request.rounds * request.per_round},
        "rounds": _rounds(rows), "quality": quality,
        "candidates": _candidates(place / CANDIDATES) if quality is not None else [],
        "report": _report(place / REPORT) if quality is not None else None,
    }  # fmt: skip


def _summary(found: Mapping[str, Any]) -> dict[str, Any]:
    names = ("folder", "name", "request", "sources", "state", "progress", "kept", "requested")
    best = [row["best"] for row in found["rounds"]]
    quality = found["quality"]
    return {**{name: found[name] for name in names}, "best": best,
            "note": quality["panel"]["note"] if quality else "",
            "warnings": len(quality["warnings"]) if quality else 0}  # fmt: skip


def _state(stages: Path) -> str:
    return next((state for pattern, state in STAGES_REACHED if any(stages.glob(pattern))), "begun")


def _trajectory(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    rows = read_rows(path)
    checked_trajectory(path, rows)
    return rows


def _rounds(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Of each round the mean utility, and the best so far."""
    found: list[dict[str, Any]] = []
    for number in sorted({row["round"] for row in rows}):
        here = [row["utility"] for row in rows if row["round"] == number]
        best = max([*here, *([found[-1]["best"]] if found else [])])
        found.append({"round": number, "tried": len(here), "mean": sum(here) / len(here), "best": best})
    return found


def _candidates(path: Path) -> list[dict[str, Any]]:
    rows = read_rows(path)
    return [documents.validate(_Answers, documents.on_one_line(str(path), row, n)).model_dump()
            for n, row in enumerate(rows, 1)]  # fmt: skip


def _checked(model: type[_Quality], path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text("utf-8"))
        return TypeAdapter(model).validate_python(data).model_dump()
    except (OSError, ValueError, RecursionError) as error:
        why = str(error).splitlines()[0][:200]
        raise ConfigError([Fault(str(path), None, "", f"is not what a construction writes: {why}")]) from None


def _report(path: Path) -> str:
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError as error:
        raise ConfigError([Fault(str(path), None, "", f"cannot be read: {error.strerror or error}")]) from None
    return text if len(text) <= LONGEST_REPORT else text[:LONGEST_REPORT] + "\n…"
