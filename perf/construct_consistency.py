"""Benchmarks on real panels built again with another seed and proposer: ``perf/construct_consistency.py [PANEL …]``.

Three builds of one request: two seeds with the estimator, a third with random proposals. A fourth is the next generation of
the first: the same descriptions, other items, so that all that tells them apart is noise; it shows whether the ceiling is
what it should be. Builds lie in var/consistency/PANEL; one that was killed goes on there, one of other code is made anew.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import NormalDist, fmean, median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / place) for place in ("perf", "include")]

import numpy as np  # noqa: E402
import yaml  # noqa: E402
from measured import RESULTS, keep  # noqa: E402

from auto_benchmark.construction.candidate import missing  # noqa: E402
from auto_benchmark.construction.candidates import PANELS  # noqa: E402
from auto_benchmark.construction.check import check  # noqa: E402
from auto_benchmark.construction.consistency import RankedBuild, compare  # noqa: E402
from auto_benchmark.construction.evolve import evolve  # noqa: E402
from auto_benchmark.construction.request import Proposer  # noqa: E402
from auto_benchmark.construction.run import run  # noqa: E402
from auto_benchmark.settings import Settings  # noqa: E402
from auto_benchmark.stats import consistency as statistic  # noqa: E402
from auto_benchmark.stats.objectives import Right  # noqa: E402
from auto_benchmark.stats.simulation.constructions import SimulatedPanel  # noqa: E402

PLACE = ROOT / "var" / "consistency"
CODE = ROOT / "include" / "auto_benchmark" / "construction"
REQUESTS = {
    "language_identification": ("Identification of languages by a few names", "languages"),
    "graded_skill": ("Chess endings: fastest mates, longest defences", "chess_endings"),
    "memory_retrieval": ("Memory of what was told in conversations, the latest of it", "memory_world"),
}
"""Panel -> what is asked for, and the source; recognisers take an hour and are left out."""
BUILDS = {
    "seed 1": (1, Proposer.ESTIMATOR),
    "seed 2": (2, Proposer.ESTIMATOR),
    "seed 3, random": (3, Proposer.RANDOM),
}
NEXT = {"seed 1, other items": "seed 1", "seed 1, others again": "seed 1, other items"}
"""Generations and what each follows."""
KINDS = ("alike", "unrelated", "little apart")
RUNS, MANY = 100, 1000
"""Simulated pairs of a kind, and pairs that its mean tau is known from."""
SIZE = 260
"""Of which four fifths report."""


def requested(panel: str) -> dict[str, Any]:
    """REQUEST.yaml."""
    words, source = REQUESTS[panel]
    return {
        "name": panel, "request": words, "sources": [source], "candidates": [panel], "target_size": SIZE, "rounds": 4,
        "per_round": 4, "pilot_items": 20, "objective": {"difficulty": "max", "separability": 1}, "seed": 1,
    }  # fmt: skip


def code_of(panel: str) -> str:
    """Hash of what a build follows from."""
    found = hashlib.sha256(json.dumps(requested(panel), sort_keys=True).encode())
    names = (
        "run.py",
        "rounds.py",
        "search.py",
        "choice.py",
        "mixing.py",
        "build.py",
        "planner.py",
        "verification.py",
    )
    _, source = REQUESTS[panel]
    for file in (*(CODE / name for name in names), CODE / "sources" / f"{source}.py"):
        found.update(file.read_bytes())
    return found.hexdigest()[:12]


def folder_of(panel: str, name: str) -> Path:
    """Where a build lies."""
    return PLACE / panel / name.replace(", ", "_").replace(" ", "_")


def built(panel: str, name: str) -> dict[str, Any]:
    """Make one build, or go on with it; what it took is kept beside it."""
    folder = folder_of(panel, name)
    spent, code = folder.with_suffix(".json"), code_of(panel)
    done = json.loads(spent.read_text()) if spent.exists() else {}
    if done.get("code") != code:
        shutil.rmtree(folder, ignore_errors=True)
        done = {"code": code, "seconds": 0.0}
    if "kept" in done:
        return done
    PLACE.joinpath(panel).mkdir(parents=True, exist_ok=True)
    spent.write_text(json.dumps(done))
    request = PLACE / panel / "request.yaml"
    request.write_text(yaml.safe_dump(requested(panel), sort_keys=False))
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"[{panel}, {name}] {text}", flush=True)

    if name in NEXT:
        made = evolve(Settings(), folder_of(panel, NEXT[name]), folder, say=say)
    else:
        seed, proposer = BUILDS[name]
        made = run(Settings(), request, folder, say=say, seed=seed, proposer=proposer)
    again = check(folder)
    done |= {
        "folder": str(folder.relative_to(ROOT)), "kept": made["kept"], "calls": made["calls"],
        "seconds": round(time.monotonic() - began, 1), "wrong_keys": again.wrong_keys, "problems": again.problems[:5],
        "panel": made["panel"], "objective": made["objective"],
        "chosen": yaml.safe_load((folder / "stages" / "choice.yaml").read_text())["chosen"],
    }  # fmt: skip
    spent.write_text(json.dumps(done))
    return done


def _compared(folders: list[str]) -> dict[str, Any]:
    """How alike two builds rank, with their folders as they lie below the repository."""
    found = compare(*(ROOT / folder for folder in folders))
    builds = [{**build, "folder": folder} for build, folder in zip(found["builds"], folders, strict=True)]
    return {**found, "builds": builds}


def measured(panel: str) -> dict[str, Any]:
    """All builds of a panel and how alike they rank it."""
    if all(missing(candidate) is not None for candidate in PANELS[panel]):
        return {"skipped": f"not installed; make panel PANEL={panel}"}
    builds = {name: built(panel, name) for name in (*BUILDS, *NEXT)}
    pairs = [
        {"of": list(pair), **_compared([builds[name]["folder"] for name in pair])}
        for pair in (*itertools.combinations(BUILDS, 2), *itertools.combinations(("seed 1", *NEXT), 2))
    ]
    rebuilt = [pair for pair in pairs if not is_control(pair)]
    return {
        "builds": builds, "pairs": pairs, "pairs_rebuilt": len(rebuilt), "median_tau": median(p["tau"] for p in rebuilt),
        "median_ceiling": median(p["ceiling"] for p in rebuilt),
        "drawn_anew": drawn_anew(builds), "less_alike": sum(pair["below_interval"][0] > 0 for pair in rebuilt),
    }  # fmt: skip


def simulated(before: dict[str, Any]) -> dict[str, Any]:
    """What the statistic does on panels of known ability (Rasch's): coverage, ceilings, false and right alarms."""
    code = hashlib.sha256(Path(statistic.__file__).read_bytes()).hexdigest()[:12]
    if before.get("code") == code:
        return before
    cells = [_cell(*cell) for cell in itertools.product((8, 15), (100, 200), KINDS)]
    return {"code": code, "runs": RUNS, "cells": cells}


def _cell(systems: int, items: int, kind: str) -> dict[str, Any]:
    rng = np.random.default_rng(systems * 1000 + items)
    ability = rng.normal(0, 0.15 if kind == "little apart" else 0.8, systems)
    panels = [SimulatedPanel(ability), SimulatedPanel(rng.permutation(ability) if kind == "unrelated" else ability)]

    def pair(*parts: int) -> list[Right]:
        made = np.random.default_rng(parts)
        return [panel.answers(hard, items, made) for panel, hard in zip(panels, (0.0, 0.7), strict=True)]

    taus = [float(statistic.tau_b(*(right.sum(axis=1) for right in pair(1, run)))) for run in range(MANY)]
    mean = fmean(taus)
    found = [statistic.consistency(*pair(2, run), seed=run) for run in range(RUNS)]
    corrected = [one.corrected for one in found if one.corrected is not None]
    return {
        "systems": systems, "items": items, "kind": kind, "mean_tau": mean,
        "mean_ceiling": fmean(one.ceiling for one in found),
        "interval_holds_mean": fmean(one.interval[0] <= mean <= one.interval[1] for one in found),
        "called_less_alike": fmean(one.is_less_alike_than_noise_explains for one in found),
        "mean_corrected": fmean(corrected) if corrected else None, "not_corrected": 1 - len(corrected) / RUNS,
    }  # fmt: skip


def drawn_anew(builds: dict[str, Any]) -> dict[str, Any]:
    """Pairs of benchmarks drawn from all answers to one choice's items: how often they are called less alike."""
    read = [RankedBuild.read(ROOT / builds[name]["folder"]) for name in ("seed 1", *NEXT)]
    names = list(read[0].rows)
    pool = np.concatenate([build.answers(names, sorted(build.subtasks)) for build in read], axis=1)
    rng, items = np.random.default_rng(0), len(read[0].subtasks)

    def drawn() -> Right:
        return np.asarray(pool[:, rng.integers(0, pool.shape[1], items)])

    found = [statistic.consistency(drawn(), drawn(), seed=run) for run in range(RUNS)]
    return {
        "pairs": RUNS, "called_less_alike": fmean(one.is_less_alike_than_noise_explains for one in found),
        "mean_tau": fmean(one.tau for one in found), "mean_ceiling": fmean(one.ceiling for one in found),
    }  # fmt: skip


def is_control(pair: dict[str, Any]) -> bool:
    """Whether both builds are of one choice of descriptions, so that all that tells them apart is noise."""
    return bool(NEXT.keys() & set(pair["of"]))


def wrong(panels: dict[str, Any]) -> list[str]:
    """What must not be: wrong keys, or items of one choice that rank otherwise than noise explains, all controls together.

    Each is asked at 2.5 % by the number of controls (Bonferroni).
    """
    found = []
    controls = [(panel, p) for panel, row in panels.items() for p in row.get("pairs", []) if is_control(p)]
    for panel, row in panels.items():
        for name, build in row.get("builds", {}).items():
            found += [f"{panel}, {name}: {build['problems']}"] if build["problems"] else []
    for panel, pair in controls:
        error = (pair["below_interval"][1] - pair["below_ceiling"]) / statistic.Z95
        if pair["below_ceiling"] > error * NormalDist().inv_cdf(1 - 0.025 / len(controls)):
            found.append(f"{panel}: {' and '.join(pair['of'])}: {pair['verdict']}")
    return found


def measure(progress: Callable[[Sequence[str]], Iterable[str]] = iter, names: Sequence[str] = ()) -> dict[str, Any]:
    """Build and compare; panels that are not asked for keep their stored result."""
    path = RESULTS / "construct_consistency.json"
    before: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    panels: dict[str, Any] = before.get("panels", {})
    facts: dict[str, Any] = {"simulated": before.get("simulated", {})}
    for panel in progress(list(names or REQUESTS)):
        panels[panel] = measured(panel)
        facts |= {"wrong": wrong(panels), "load": [round(x, 1) for x in os.getloadavg()], "panels": panels}
        keep("construct_consistency", facts)
        for pair in panels[panel].get("pairs", []):
            print(panel, pair["of"], f"{pair['tau']:.2f}", f"{pair['ceiling']:.2f}", pair["verdict"], flush=True)
    facts |= {"simulated": simulated(facts["simulated"]), "wrong": wrong(panels), "panels": panels}
    keep("construct_consistency", facts)
    return facts


if __name__ == "__main__":
    told = measure(names=sys.argv[1:])
    raise SystemExit(1 if told["wrong"] else 0)
