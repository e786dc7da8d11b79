"""A further act of the demo: a board saturates, a benchmark is built that follows it, and the loop climbs that one.

It works on copies of the declared files in the demo's home, so that nothing of the repository changes. The old board has
so few items that its best systems cannot be told apart; its entries are measured answers of configurations of the bundled
solution, and so are those of the new one.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from auto_benchmark import atomic, documents
from auto_benchmark.construction.in_project import FOLDER
from auto_benchmark.construction.publish import BOARD_FILE, Published, publish
from auto_benchmark.construction.run import run as construct
from auto_benchmark.construction.stages import read_rows
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.project.context import Context, make_context
from auto_benchmark.settings import Settings
from auto_benchmark.stack.story import Story
from auto_benchmark.telling.status import status

DECLARED = "declared"
SWEEPS = 6
FIRST_ENTRIES = 2
FOLLOWS = "harder.yaml"
OLD = {
    "name": "small_memory", "request": "Remember what was told last", "sources": ["memory_world"], "target_size": 120,
    "candidates": ["bundled_solution"], "rounds": 4, "per_round": 3, "pilot_items": 30, "seed": 5,
}  # fmt: skip
NEW = {
    "name": "next_memory", "request": "Remember the latest that was told, and what held at an earlier time",
    "sources": ["memory_world"], "target_size": 800, "candidates": ["bundled_solution"], "seed": 6,
    "objective": {"difficulty": {"target": 0.45}, "separability": 3},
}  # fmt: skip
"""It is to separate what the old board does not; the search is as long as a request's defaults have it."""


class SaturationDags(Protocol):
    """What the act needs of Airflow."""

    def run(self, dag_id: str) -> Mapping[str, Any]:
        """Start a DAG and wait for its run."""
        ...

    def wait_for_first(self, dag_id: str) -> Mapping[str, Any]:
        """Wait for the run that an event starts."""
        ...

    def sweep(self) -> None:
        """Start a sweep and wait for it and those that it starts."""
        ...


def copied(settings: Settings) -> Settings:
    """The settings with copies of configuration and benchmarks, made anew, below the home."""
    place = settings.root / DECLARED
    shutil.rmtree(place, ignore_errors=True)
    for name in ("config", "benchmarks"):
        shutil.copytree(getattr(settings, name), place / name)
    return settings.model_copy(update={name: place / name for name in ("config", "benchmarks")})


@dataclass(frozen=True, slots=True)
class SaturationAct:
    """The act.

    Attributes:
        ctx: of the demo's project, on copied files.
        dags: of the demo's Airflow.
    """

    ctx: Context
    dags: SaturationDags
    story: Story

    def play(self) -> dict[str, Any]:
        """``{"board", "old", "new", "place_before", "place_after", "sweeps", "seconds"}``.

        Raises:
            AutoBenchmarkError: the board does not saturate, or a DAG fails.
        """
        began = time.monotonic()
        self.story.say("ACT 5      a small board is built, declared, and handed in to until nothing can be won there")
        made, old = self._declare()
        for n in (FIRST_ENTRIES, len(made.entries)):
            _write(made.folder / BOARD_FILE, dict(made.entries[:n]))
            self._succeed(self.dags.run("leaderboard_scrape"), "leaderboard_scrape")
        self.story.say("ACT 6      it is saturated, so a benchmark is built that follows it, and its board adopted")
        self._succeed(self.dags.wait_for_first("benchmark_construction"), "benchmark_construction")
        built = self.ctx.home / FOLDER / Path(FOLLOWS).stem
        entries = sorted((float(r["accuracy_gate"]) for r in read_rows(built / "candidates.jsonl")), reverse=True)
        self.story.say(f"ACT 7      the loop climbs {NEW['name']}, where {len(entries)} systems stand")
        self._succeed(self.dags.run("leaderboard_scrape"), "leaderboard_scrape")
        self._succeed(self.dags.run("production_defense"), "production_defense")
        places = self._climb(entries)
        return {
            "board": NEW["name"], "old": old, "new": _separability(built), "place_before": places[0],
            "place_after": places[-1], "sweeps": len(places) - 1, "seconds": round(time.monotonic() - began, 1),
        }  # fmt: skip

    def _declare(self) -> tuple[Published, dict[str, Any]]:
        settings = self.ctx.settings
        folder = settings.root / DECLARED / str(OLD["name"])
        _write(settings.config / FOLLOWS, NEW)
        request = settings.root / DECLARED / "small.yaml"
        _write(request, OLD)
        construct(settings, request, folder, say=lambda _: None)
        made = publish(settings, folder, board="SmallMemory")
        registry = settings.config / "competitive_registry.yaml"
        declared = dict(documents.read(registry).data)
        row = {**made.row, "saturation": {"request": FOLLOWS, "submissions": 5}}
        _write(registry, {**declared, "target_leaderboards": [*declared["target_leaderboards"], row]})
        schedule = settings.config / "schedule.yaml"
        plan = dict(documents.read(schedule).data)
        _write(schedule, {**plan, "automation": {**plan.get("automation", {}), "construction": "on"}})
        return made, _separability(folder)

    def _climb(self, entries: list[float]) -> list[int | None]:
        """Our place among the new board's entries by our own measurement, before the first sweep and after each."""
        places = [self._place(entries)]
        while places[-1] != 1 and len(places) <= SWEEPS:
            self.dags.sweep()
            self._succeed(self.dags.run("leaderboard_scrape"), "leaderboard_scrape")
            places.append(self._place(entries))
        return places

    def _place(self, entries: list[float]) -> int | None:
        ctx = make_context(self.ctx.settings, self.ctx.sessions, self.ctx.connections)
        score = next((b.measured for b in status(ctx).boards if b.board == NEW["name"]), None)
        place = None if score is None else 1 + sum(other > score for other in entries)
        shown = "not measured yet" if score is None else f"place {place} with {score:.4f}"
        self.story.say(f"{NEW['name']:16} {shown}; the best entry has {entries[0]:.4f}")
        return place

    @staticmethod
    def _succeed(run: Mapping[str, Any], dag_id: str) -> None:
        if run["state"] != "success":
            raise AutoBenchmarkError(f"{dag_id} failed; see its log in the Airflow UI")


def _write(file: Path, data: Mapping[str, Any]) -> None:
    atomic.write_text(file, documents.to_yaml(dict(data)))


def _separability(folder: Path) -> dict[str, Any]:
    quality = json.loads((folder / "quality.json").read_text("utf-8"))
    found = (quality["objective"] or quality["instrument"])["separability"]
    return {name: found[name] for name in ("value", "interval", "separable")}
