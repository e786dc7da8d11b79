"""``construct publish``: the benchmark becomes one of the installation's, with a board that a project can follow."""

from __future__ import annotations

import filecmp
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auto_benchmark import atomic, documents
from auto_benchmark.artifacts.folder_lock import locked
from auto_benchmark.construction.check import check
from auto_benchmark.construction.folder import BENCHMARK
from auto_benchmark.construction.stages import read_rows
from auto_benchmark.errors import RefusedError
from auto_benchmark.registry.benchmark import Benchmark
from auto_benchmark.registry.names import display_name, folder_name
from auto_benchmark.settings import Settings

MARK = "card.yaml"
BOARD_FILE = "board.yaml"
ASIDE = ".publishing"
"""Folder beside the benchmarks in which one is made before it is put in its place."""


@dataclass(frozen=True, slots=True)
class Published:
    """What a publication has made.

    Attributes:
        benchmark: name of the folder below ``benchmarks/``.
        board: name of the board.
        entries: the board as it opens: candidates and their accuracies, best first.
        row: the entry of ``competitive_registry.yaml`` that makes a project follow the board.
    """

    benchmark: str
    folder: Path
    board: str
    entries: list[tuple[str, float]]
    row: dict[str, Any]

    @property
    def to_paste(self) -> str:
        """:attr:`row` as YAML."""
        return documents.to_yaml([self.row])


def publish(settings: Settings, folder: Path, *, board: str | None = None) -> Published:
    """Copy a checked construction to ``benchmarks/<name>/``; publishing it again changes nothing.

    The board is a file of the benchmark: the systems that answered, with their accuracies on ``gate``. Planted programs
    are no systems and stand on no board. Evidence is not published.

    Raises:
        InputError: no finished construction, or no name for a folder or a board.
        RefusedError: the check finds problems, or another benchmark has the name.
    """
    if board is not None:
        board = display_name(board)
    found = check(folder)
    if found.problems:
        raise RefusedError(
            f"{folder}: the check finds {len(found.problems)} problems, the first: {found.problems[0]}"
        )
    declared = documents.load(Benchmark, folder / BENCHMARK / "benchmark.yaml")
    name = folder_name(declared.name, "benchmark")
    place = settings.benchmarks / name
    shown = board or name
    entries = [
        (row["name"], round(float(row["accuracy_gate"]), 4)) for row in read_rows(folder / "candidates.jsonl")
        if row["kind"] != "planted"
    ]  # fmt: skip
    entries.sort(key=lambda entry: (-entry[1], entry[0]))
    aside = settings.benchmarks / ASIDE
    with locked(aside, f"{name}.lock", taken=f"{place}: another process publishes it"):
        _claim(place, folder)
        _write(place, aside / name, folder, shown, entries)
    row = {
        "name": shown, "url": os.path.relpath(place / BOARD_FILE, settings.config), "scrape_method": "manual",
        "primary_metric": declared.primary.metric, "higher_is_better": True, "benchmark": name,
        "items": len(read_rows(place / str(declared.splits.gate.items))),
        "victory": {"absolute_rank": 1, "relative_gap": 0.005, "sustained_cycles": 3}, "promotion_threshold": 0.01,
    }  # fmt: skip
    return Published(name, place, shown, entries, row)


def _claim(place: Path, folder: Path) -> None:
    """Refuse a place that another benchmark has; a later version of the same one may take it."""
    if place.exists():
        theirs = documents.read(place / MARK).data if (place / MARK).is_file() else {}
        ours = documents.read(folder / MARK).data
        if any(theirs.get(name) != ours[name] for name in ("name", "purpose")):
            raise RefusedError(f"{place} is another benchmark; give the request another name")


def _write(place: Path, aside: Path, folder: Path, board: str, entries: list[tuple[str, float]]) -> None:
    """Make the folder aside, and put it in place unless the same stands there: trials may be reading it."""
    shutil.rmtree(aside, ignore_errors=True)
    with atomic.new_directory(aside) as draft:
        shutil.copytree(folder / BENCHMARK, draft, dirs_exist_ok=True)
        for name in (MARK, "quality.json", "candidates.jsonl", "REPORT.md"):
            shutil.copyfile(folder / name, draft / name)
        declared = documents.read(draft / "benchmark.yaml").data
        declared["boards"] = {board: next(iter(declared["boards"].values()))}
        atomic.write_text(draft / "benchmark.yaml", documents.to_yaml(declared))
        atomic.write_text(draft / BOARD_FILE, documents.to_yaml(dict(entries)))
    old = aside.with_name(f"{aside.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists() and not _alike(place, aside):
        place.rename(old)
    if not place.exists():
        aside.rename(place)
    for rest in (aside, old):
        shutil.rmtree(rest, ignore_errors=True)


def _alike(one: Path, other: Path) -> bool:
    """Whether both folders hold the same files with the same content."""
    found = [
        {str(file.relative_to(place)): file for file in place.rglob("*") if file.is_file()} for place in (one, other)
    ]
    names = found[0].keys()
    return names == found[1].keys() and all(filecmp.cmp(found[0][n], found[1][n], shallow=False) for n in names)
