"""A board saturates, another benchmark is built by itself, its board is adopted, and the loop climbs it.

The old board has so few items that its best systems cannot be told apart. Everything is real but the calendar: both
benchmarks are built by ``construct run``, entries of both boards are measured answers of configurations of the bundled
solution, trials are trials. The old board's competitors hand in one after the other, a scrape after each. Our rank on the
new board is that of our own measurement among its entries; nobody hands us in there.
"""

from __future__ import annotations

import json
import math
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from auto_benchmark.artifacts.benchmark_data import BenchmarkData
from auto_benchmark.boards.landscape import observe
from auto_benchmark.construction.candidates.bundled_solution import BundledSolution
from auto_benchmark.construction.in_project import FOLDER
from auto_benchmark.construction.publish import publish
from auto_benchmark.construction.run import run as construct
from auto_benchmark.construction.stages import read_rows
from auto_benchmark.flows import inline
from auto_benchmark.leaderboards.saturation import SaturationState
from auto_benchmark.project.context import Context, make_context
from auto_benchmark.settings import INCLUDE, Settings
from auto_benchmark.sources.connection import NamedConnections
from auto_benchmark.stack.saturation_act import NEW, OLD
from auto_benchmark.stack.session import database
from auto_benchmark.stats.objectives import separability
from auto_benchmark.telling.status import status

SWEEPS = 6
SMALL = 240
"""Items of the small board, chosen before it was run, so that a difference of .02 between both boards could be shown."""
LEADERS = 5
"""Systems of a board that have to be told apart; a saturated one does not."""
FIRST = {**OLD, "target_size": SMALL}


def _write(file: Path, data: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@contextmanager
def _project(place: Path) -> Iterator[tuple[Settings, list[tuple[str, float]], dict[str, Any]]]:
    """A project on a new small board: its settings, the entries to come, and what was measured of the board's systems."""
    shutil.copytree(INCLUDE / "benchmarks", place / "benchmarks")
    shutil.copytree(INCLUDE / "solutions", place / "solutions")
    declaration = place / "solutions" / "memory_retrieval" / "solution.yaml"
    declaration.write_text(declaration.read_text("utf-8").replace("benchmark: memory", f"benchmark: {FIRST['name']}"))
    parts = {name: place / name for name in ("home", "config", "benchmarks", "solutions")}
    settings = Settings(**parts)
    _write(place / "small.yaml", FIRST)
    construct(settings, place / "small.yaml", place / "small", say=_say)
    made = publish(settings, place / "small", board="SmallMemory")
    row = {**made.row, "saturation": {"request": "harder.yaml", "submissions": 5}}
    _write(place / "config" / "competitive_registry.yaml", {
        "domain": "memory", "target_leaderboards": [row],
        "our_solution": {"name": "OurSystem", "solution": "memory_retrieval"},
    })  # fmt: skip
    _write(place / "config" / "schedule.yaml", {"automation": {"construction": "on"}})
    _write(place / "config" / "harder.yaml", NEW)
    yield settings, made.entries, json.loads((place / "small" / "quality.json").read_text())


def _context(settings: Settings, sessions: Any) -> Context:
    return make_context(settings, sessions, NamedConnections({}), say=_say)


def _saturate(settings: Settings, sessions: Any, entries: list[tuple[str, float]]) -> dict[str, Any]:
    """The board's systems hand in, best first, until the board is saturated; what was said then."""
    ctx = _context(settings, sessions)
    file = settings.benchmarks / "small_memory" / "board.yaml"
    for n in range(2, len(entries) + 1):
        _write(file, dict(entries[:n]))
        inline.scrape(ctx)
        with ctx.sessions() as session:
            found = observe(ctx, session).saturation[ctx.boards[0].name]
        if found.state is SaturationState.SATURATED:
            return {"entries": n, "reason": found.reason, "headroom": found.headroom, "smallest": found.smallest}
    raise AssertionError(f"the board did not saturate: {found}")


def _place_of(score: float | None, entries: list[tuple[str, float]]) -> int | None:
    return None if score is None else 1 + sum(other > score for _, other in entries)


def measure() -> dict[str, Any]:
    """From a saturated board to where we stand on its successor.

    Raises:
        AssertionError: the board does not saturate, or nothing follows it.
    """
    place = Path(tempfile.mkdtemp(prefix="ab-perf-"))
    try:
        with _project(place) as (settings, entries, old), database(settings) as sessions:
            saturated = _saturate(settings, sessions, entries)
            adopted = inline.construct_due(_context(settings, sessions))
            assert adopted is not None and adopted["measured"], adopted
            built = settings.project_home("default") / FOLDER / "harder"
            new = json.loads((built / "quality.json").read_text())
            rows = read_rows(built / "candidates.jsonl")
            board = sorted(((r["name"], r["accuracy_gate"]) for r in rows), key=lambda r: -r[1])
            climb = list(_climb(settings, sessions, adopted["board"], board))
        before, after = _told_apart(place / "small", old), _told_apart(built, new)
        return {
            "old": {**saturated, "entries": entries, **before},
            "new": {"entries": board, "kept": len(list(_items(built))), **after},
            "leaders_told_apart_better_by": _difference(before["leaders"], after["leaders"]),
            "competitors_told_apart_better_by": _difference(before["competitors"], after["competitors"]),
            "adopted": adopted, "sweeps": climb,
            "rank_before": climb[0]["rank"], "rank_after": climb[-1]["rank"],
        }  # fmt: skip
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _items(built: Path) -> Iterator[str]:
    for split in ("train", "search", "gate"):
        yield from (built / "benchmark" / f"{split}.jsonl").read_text("utf-8").splitlines()


def _told_apart(folder: Path, quality: dict[str, Any]) -> dict[str, Any]:
    """How well a board tells all of its systems apart, its leaders, and the arena's competitors, which it has never seen."""
    return {"separability": _separability(quality), "leaders": leaders(folder), "competitors": competitors(folder)}


def _separability(quality: dict[str, Any]) -> dict[str, Any]:
    found = (quality["objective"] or quality["instrument"])["separability"]
    return {name: found[name] for name in ("value", "interval", "separable")}


def leaders(folder: Path) -> dict[str, Any]:
    """How well a board tells those apart that saturation is about: chosen on ``search``, measured on ``gate``."""
    rows = read_rows(folder / "candidates.jsonl")
    best = sorted(rows, key=lambda row: (-row["accuracy_search"], row["name"]))[:LEADERS]
    gate = [row["id"] for row in read_rows(folder / "benchmark" / "gate.jsonl")]
    return _apart({row["name"]: {item: row["right"][item] for item in gate} for row in best})


def competitors(folder: Path) -> dict[str, Any]:
    """How well a board's ``gate`` tells the arena's competitors apart; they were no candidates of its construction."""
    declared = yaml.safe_load((INCLUDE / "arena" / "competitors.yaml").read_text("utf-8"))["competitors"]
    with tempfile.TemporaryDirectory(prefix="ab-perf-") as place:
        data = BenchmarkData(folder / "benchmark", Path(place))
        view, answers, scorer = data.view("gate"), data.answers("gate"), data.scorer()
        return _apart({
            one["system"]: scorer.score(
                BundledSolution(one["system"], one["params"]).answer_view(view), answers
            ).items["accuracy"]
            for one in declared
        })  # fmt: skip


def _apart(right: dict[str, dict[str, Any]]) -> dict[str, Any]:
    items = sorted(next(iter(right.values())))
    found = separability(np.array([[row[item] for item in items] for row in right.values()]) > 0)
    accuracies = {name: sum(row.values()) / len(items) for name, row in right.items()}
    return {"systems": accuracies, "items": len(items), "value": found.value, "interval": list(found.interval),
            "p_value": found.p_value, "separable": found.is_separable}  # fmt: skip


def _difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """By how much more the leaders of one board are told apart than those of another, whose items are others."""
    value = after["value"] - before["value"]
    half = math.hypot(*((found["interval"][1] - found["interval"][0]) / 2 for found in (before, after)))
    return {"value": value, "interval": [value - half, value + half]}


def _climb(
    settings: Settings, sessions: Any, board: str, entries: list[tuple[str, float]]
) -> Iterator[dict[str, Any]]:
    """Our measurement and its place before the first sweep and after each, until we are first."""
    outcomes: list[str] = []
    for sweep in range(SWEEPS + 1):
        ctx = _context(settings, sessions)
        inline.scrape(ctx)
        if sweep == 0:
            inline.defend(ctx)
        score = next(b.measured for b in status(ctx).boards if b.board == board)
        _say(f"after {sweep} sweeps: {score}, place {_place_of(score, entries)}")
        yield {"sweeps": sweep, "score": score, "rank": _place_of(score, entries), "outcomes": outcomes}
        if _place_of(score, entries) == 1:
            return
        outcomes = [e["outcome"] for e in inline.sweep(ctx)["experiments"]]


if __name__ == "__main__":
    from measured import keep

    found = measure()
    keep("saturated_loop", found)
    print(json.dumps(found, indent=1))
