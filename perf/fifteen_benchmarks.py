"""Fifteen benchmarks from fifteen requests, and one more: what each took, what was rejected, and whether its keys hold.

Each lies in var/fifteen/NAME. One that has ended with its request and its sources as they are now is not built again, and a
killed one goes on where it was. ``python perf/fifteen_benchmarks.py [NAME …]``; without names, all of them.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / place) for place in ("perf", "include")]

import yaml  # noqa: E402
from measured import RESULTS, keep  # noqa: E402

from auto_benchmark.construction.check import check  # noqa: E402
from auto_benchmark.construction.item import Item  # noqa: E402
from auto_benchmark.construction.near_duplicates import substance  # noqa: E402
from auto_benchmark.construction.run import run  # noqa: E402
from auto_benchmark.construction.stages import read_rows  # noqa: E402
from auto_benchmark.settings import Settings  # noqa: E402

PLACE = ROOT / "var" / "fifteen"
SIZE = 500
READ = 10
"""Items of each benchmark that a person reads."""
CODE = ROOT / "include" / "auto_benchmark" / "construction" / "sources"
SEARCH = {"rounds": 2, "per_round": 3, "pilot_items": 10}
"""A short search: what is measured here are the items, not what a search gains."""
CANDIDATES = [
    "nearest_neighbour",
    "seven_neighbours",
    "nearest_centroid",
    "naive_bayes",
    "decision_tree",
    "reader_words",
]
"""Quick ones, where no real panel answers: slower learners would make none of them one."""
REQUESTS: dict[str, dict[str, Any]] = {
    "chemistry": {"request": "Multi-step chemistry: salts, reactions, stoichiometry and masses", "steps": True},
    "geography": {"request": "Multi-step geography: borders on the way, the nearest capitals, populations", "steps": True,
                  "objective": {"difficulty": "max", "separability": 1, "salience": {"min": 0.3}}},
    "programs": {"request": "Multi-step execution of Python programs with loops, lists and recursion", "steps": True},
    "mathematics": {"request": "Mathematics: expressions, equations, remainders and primes"},
    "algorithms": {"request": "Algorithms: shortest ways, knapsacks, subsequences and inversions"},
    "sql": {"request": "SQL: counts, sums, groups and orders"},
    "memory": {"request": "Memory of what was told in conversations, last and at an earlier time",
               "panels": ["memory_retrieval", "bundled_solution"]},
    "solved_games": {"request": "Solved games: heaps, takings, noughts and crosses"},
    "forecasts": {"request": "Forecasting of leaderboards: who leads later and who is overtaken"},
    "languages": {"request": "Identification of languages by a few names",
                  "panels": ["language_identification"]},
    "endings": {"request": "Chess endings: the fastest mate, the longest defence, and in how many moves it is mate",
                "sources": ["chess_endings"], "panels": ["graded_skill"]},
    "charts": {"request": "Charts in pictures: values, extremes, counts above a threshold", "media": True},
    "diagrams": {"request": "Diagrams in pictures: lines, ways and triangles", "media": True},
    "sheets": {"request": "Sheets of a ledger, badly printed", "media": True},
    "sounds": {"request": "Sounds: tones counted, compared and dialled", "media": True},
    "pictures": {"request": "Pictures: values of charts, ways in diagrams, totals of tables", "media": True,
                 "sources": ["charts", "diagrams", "sheets"]},
}  # fmt: skip


def requested(name: str) -> dict[str, Any]:
    """REQUEST.yaml of a benchmark."""
    asked = REQUESTS[name]
    panels = asked.get("panels", [])
    installed = any((ROOT / ".panels" / panel).exists() for panel in panels)
    more = {key: asked[key] for key in ("sources", "objective") if key in asked}
    return {
        "name": name, "request": asked["request"], "target_size": SIZE, "seed": 20,
        "objective": {"difficulty": "max", "separability": 1}, **SEARCH,
        "candidates": panels if installed else CANDIDATES, **more,
    }  # fmt: skip


def code_of(request: dict[str, Any]) -> str:
    """Hash of what a benchmark follows from: its request and whatever constructs."""
    told = hashlib.sha256(json.dumps(request, sort_keys=True).encode())
    for file in sorted(CODE.parent.rglob("*.py")):
        told.update(file.read_bytes())
    return told.hexdigest()[:12]


def built(name: str) -> dict[str, Any]:
    """Build a benchmark, or go on with it; what it took is kept beside it."""
    request = requested(name)
    place, spent = PLACE / name, PLACE / f"{name}.spent.json"
    done = json.loads(spent.read_text()) if spent.exists() else {}
    if done.get("code") and done["code"] == code_of(request):
        return dict(done)
    if done or (place.exists() and not _goes_on(place, request)):
        shutil.rmtree(place, ignore_errors=True)
        spent.unlink(missing_ok=True)
    place.mkdir(parents=True, exist_ok=True)
    file = PLACE / f"{name}.request.yaml"
    file.write_text(yaml.safe_dump(request, sort_keys=False))
    began = time.monotonic()
    told = run(Settings(), file, place / "built", say=lambda text: print(f"[{name}] {text}", flush=True))
    seconds = time.monotonic() - began
    card = yaml.safe_load((place / "built" / "card.yaml").read_text())
    used = [row["name"] for row in card["sources"]]
    facts = {"code": code_of(request), "sources": used, "seconds": round(seconds, 1), "told": told}
    spent.write_text(json.dumps(facts))
    return facts


def _goes_on(place: Path, request: dict[str, Any]) -> bool:
    """Whether a killed construction of this request stands there."""
    file = PLACE / f"{place.name}.request.yaml"
    return file.exists() and yaml.safe_load(file.read_text()) == request


def row_of(name: str, facts: dict[str, Any]) -> dict[str, Any]:
    """What is reported of a benchmark; every key is computed again from its files."""
    folder = PLACE / name / "built"
    checked, quality, told = check(folder), json.loads((folder / "quality.json").read_text()), facts["told"]
    n, rejected = told["kept"], told["rejected"]
    only_learners = not any(row["kind"] == "external program" and row["version"].split()[0] != "scikit-learn"
                            for row in read_rows(folder / "candidates.jsonl"))  # fmt: skip
    measured = quality["objective"] or quality["instrument"]
    ablations = quality["privileged"]
    return {
        "request": REQUESTS[name]["request"], "sources": facts["sources"], "media": bool(REQUESTS[name].get("media")),
        "multi_step": bool(REQUESTS[name].get("steps")), "kept": n, "rejected": rejected,
        "accepted": n / (n + sum(rejected.values())), "calls": told["calls"],
        "minutes": round(facts["seconds"] / 60, 2), "seconds_per_item": round(facts["seconds"] / n, 3),
        "checked": checked.items, "wrong_keys": checked.wrong_keys, "problems": checked.problems[:5],
        "near_duplicates": quality["duplicates"]["near_share"], "same_but_for_dress": _same(folder) / n,
        "real_panel": bool(quality["objective"]) and not only_learners,
        "panel": quality["panel"], "measured": measured,
        "author_without_source": ablations["author_without_source"], "asymmetry": ablations.get("asymmetry"),
        "warnings": told["warnings"],
    }  # fmt: skip


def _same(folder: Path) -> int:
    """Items that ask what another asks, in another dress."""
    items = [Item.of(row, None) for row in read_rows(folder / "privileged.jsonl")]
    return len(items) - len({(substance(item), item.asked.media) for item in items})


def to_read(name: str) -> str:
    """Ten items drawn at random, with their keys, to be read one by one."""
    folder = PLACE / name / "built"
    rows = random.Random(f"read {name}").sample(read_rows(folder / "privileged.jsonl"), READ)
    parts = [f"# {name}: {REQUESTS[name]['request']}"]
    for i, row in enumerate(rows, 1):
        given = row["input"]
        media = " ".join(str(folder / "benchmark" / m) for m in given.get("media", []))
        parts.append("\n".join(line for line in (
            f"## {i}. {row['form']} {row['params']}", given.get("context", ""), given["question"],
            " | ".join(given.get("options", [])), media, f"KEY: {row['answer']}",
        ) if line))  # fmt: skip
    return "\n\n".join(parts) + "\n"


def measure(names: Iterable[str] = REQUESTS) -> dict[str, Any]:
    """Build, check and report; what has to hold and does not is named."""
    stored = RESULTS / "fifteen_benchmarks.json"
    rows: dict[str, Any] = {}
    for name in names:
        row = row_of(name, built(name))
        rows = {**(json.loads(stored.read_text())["benchmarks"] if stored.exists() else {}), name: row}
        (PLACE / f"{name}.read.md").write_text(to_read(name))
        keep("fifteen_benchmarks", summary(rows))
        print(f"[{name}] {rows[name]['kept']} kept, {rows[name]['seconds_per_item']} s per item", flush=True)
    return summary(rows)


def summary(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """All rows and what is wrong with them."""
    rows = {name: rows[name] for name in REQUESTS if name in rows}
    wrong = []
    for name, row in rows.items():
        wrong += [f"{name}: {row['kept']} items"] if row["kept"] < SIZE else []
        wrong += [f"{name}: {row['wrong_keys']} wrong keys, {row['problems']}"] if row["problems"] else []
        wrong += [f"{name}: {row['near_duplicates']:.3f} near-duplicates"] if row["near_duplicates"] > 0.02 else []
        wrong += (
            [f"{name}: {row['same_but_for_dress']:.3f} in another dress"] if row["same_but_for_dress"] > 0.02 else []
        )
        wrong += [f"{name}: {row['seconds_per_item']} s an item"] if row["seconds_per_item"] > 1 else []
    missing = sorted(set(REQUESTS) - set(rows))
    return {
        "sources": sorted({source for row in rows.values() for source in row["sources"]}),
        "missing": missing, "wrong": wrong, "load": [round(x, 1) for x in os.getloadavg()], "benchmarks": rows,
    }  # fmt: skip


if __name__ == "__main__":
    told = measure(sys.argv[1:] or REQUESTS)
    print(json.dumps({key: told[key] for key in ("sources", "missing", "wrong")}))
    raise SystemExit(1 if told["wrong"] else 0)
