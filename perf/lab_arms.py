"""The offline agents in the laboratory's arms: tasks x seeds x attempts, true feedback, none, sham, and a shock.

    nice -n 10 python perf/lab_arms.py [--seeds 5] [--attempts 15] [--measures 2] [--tasks NAME ...] [--minutes 600]

Every run has a folder in var/lab_arms and resumes there. Runs are taken seed by seed with all arms of a task together, so
that what has ended is balanced whenever it is stopped. perf/results/lab_arms.json says how many runs there are, not how many
were wanted.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / place) for place in ("include", "plugins")]
RESULT = ROOT / "perf" / "results" / "lab_arms.json"
RUNS = ROOT / "var" / "lab_arms"
AGENTS = ("tune", "evolve")
TASKS = (
    "short_series", "compress_logs", "route_tools", "vliw_schedule", "game_network", "choose_samples", "reversible_sort",
    "misleading_fit",
)  # fmt: skip
"""Those whose verification is shortest (0.2 to 0.6 s of processor time), so that the whole fits into two hours; all of
them happen to be in Python."""
SEEDS, ATTEMPTS, MEASURES = 5, 15, 2
MINUTES_EACH = 600.0
FRESH = 3


class Wanted(NamedTuple):
    """One run that is wanted."""

    task: str
    agent: str
    arm: str
    shock: int | None
    folder: Path


def wanted(tasks: tuple[str, ...], seeds: int, attempts: int, measures: int) -> Iterator[Wanted]:
    """All runs, seed by seed, and all arms of a task together. A sham run holds the true run whose verdicts it was given."""
    base = RUNS / f"{attempts}x{measures}"
    arms = (("sham", None, "sham"), ("none", None, "none"), ("true", max(1, attempts // 2), "shock"))
    for seed in range(1, seeds + 1):
        for task in tasks:
            for agent in AGENTS:
                for arm, shock, name in arms:
                    yield Wanted(task, agent, arm, shock, base / f"{task}-{agent}-{seed}" / name)


def measure(
    tasks: tuple[str, ...] = TASKS, seeds: int = SEEDS, attempts: int = ATTEMPTS, measures: int = MEASURES,
    minutes: float = float("inf"),
) -> dict[str, Any]:  # fmt: skip
    """Run what has not ended within some minutes; returns what is known then."""
    from auto_benchmark.errors import AutoBenchmarkError
    from auto_benchmark.lab.catalog import load, names
    from auto_benchmark.lab.choice_of_agent import MAKERS
    from auto_benchmark.lab.plan import Feedback, Plan
    from auto_benchmark.lab.run import run
    from auto_benchmark.settings import Settings

    settings, began = Settings(), time.monotonic()
    known = tuple(task for task in tasks if task in names(settings))
    left_out = {task: "there is no such task" for task in tasks if task not in known}
    runs = list(wanted(known, seeds, attempts, measures))
    done = 0
    for each in runs:
        if time.monotonic() - began > minutes * 60:
            break
        if each.task in left_out:
            continue
        plan = Plan(
            each.task, each.agent, attempts, MINUTES_EACH, attempts * measures, FRESH, Feedback(each.arm), each.shock
        )
        try:
            run(load(settings, each.task), MAKERS[each.agent](""), plan, each.folder)
        except AutoBenchmarkError as error:
            left_out[each.task] = str(error)
            continue
        done += 1
        spent = time.monotonic() - began
        print(
            f"[lab_arms] {done} of {len(runs)}, about {spent / done * (len(runs) - done) / 60:.0f} min left",
            flush=True,
        )
    return write(known, attempts, measures, left_out)


def write(tasks: tuple[str, ...], attempts: int, measures: int, left_out: dict[str, str]) -> dict[str, Any]:
    """Put the results of all runs that have ended into the file."""
    from auto_benchmark.lab.report import write_report

    folder = RUNS / f"{attempts}x{measures}"
    told = write_report([folder], folder)
    sizes = [cell["runs"] for cell in told["cells"] if cell["arm"] == "sham"]
    result = {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": f"python perf/lab_arms.py --attempts {attempts} --measures {measures}",
        "commit": _commit(),
        "model": "none was run: both agents are offline",
        "attempts": attempts,
        "measures_each": measures,
        "fresh_verifications": FRESH,
        "tasks": sorted({cell["task"] for cell in told["cells"]}),
        "seeds": {"fewest": min(sizes, default=0), "most": max(sizes, default=0)},
        "runs": told["runs"],
        "left_out": left_out,
        "cells": told["cells"],
        "inference": told["inference"],
        "summary": summary(told["cells"], shocked(folder)),
    }
    RESULT.write_text(json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
    return result


def summary(cells: list[dict[str, Any]], shocks: dict[str, list[int | None]]) -> dict[str, Any]:
    """For each agent, means over tasks with Student's 95 % interval; the task is the unit, whatever the number of seeds."""
    by_key = {(cell["agent"], cell["arm"], cell["task"]): cell for cell in cells}
    told: dict[str, Any] = {}
    for agent in AGENTS:
        found: dict[str, Any] = {}
        for other in ("sham", "none"):
            tasks = [t for a, arm, t in by_key if (a, arm) == (agent, "true") and (agent, other, t) in by_key]
            gains = [by_key[agent, "true", t]["area"] - by_key[agent, other, t]["area"] for t in tasks]
            found[f"closed_loop_gain_over_{other}"] = _mean_with_interval(gains)
        for arm in ("true", "sham", "none"):
            over = [
                c["recovery"]
                for (a, r, _), c in by_key.items()
                if (a, r) == (agent, arm) and c["recovery"] is not None
            ]
            found[f"recovery_over_chance_{arm}"] = _mean_with_interval(over)
        known = shocks.get(agent, [])
        regained = sorted(attempts for attempts in known if attempts is not None)
        found["shock"] = {"runs": len(known), "regained": len(regained), "attempts_of_those": regained}
        true = [cell for (a, arm, _), cell in by_key.items() if (a, arm) == (agent, "true")]
        best = max(true, key=lambda cell: float(cell["reward"]), default=None)
        found["best"] = None if best is None else {"task": best["task"], "reward": round(best["reward"], 4)}
        found["references_reached"] = sum(cell["reward"] >= 0.5 for cell in true)
        told[agent] = found
    return told


def _mean_with_interval(values: list[float]) -> dict[str, Any]:
    from auto_benchmark.stats.applicability import NotApplicableError
    from auto_benchmark.stats.intervals import t_interval

    try:
        interval: list[float] | None = [round(end, 4) for end in t_interval(values)]
    except NotApplicableError:
        interval = None
    mean = round(sum(values) / len(values), 4) if values else None
    return {"mean": mean, "interval": interval, "tasks": len(values)}


def shocked(folder: Path) -> dict[str, list[int | None]]:
    """Agent -> attempts to regain what there was before the shock, of every shocked run; None where it was not regained."""
    told: dict[str, list[int | None]] = {}
    for file in sorted(folder.glob("*/shock/result.json")):
        result = json.loads(file.read_text(encoding="utf-8"))
        told.setdefault(result["agent"], []).append(result["resilience"]["shock_attempts"])
    return told


def _commit() -> str:
    """Of the code that ended the last run; those before may have been made by an earlier one."""
    asked = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return asked.stdout.strip()


def main() -> None:
    """Read the size from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--attempts", type=int, default=ATTEMPTS)
    parser.add_argument("--measures", type=int, default=MEASURES)
    parser.add_argument("--tasks", nargs="*", default=TASKS)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    given = parser.parse_args()
    told = measure(tuple(given.tasks), given.seeds, given.attempts, given.measures, given.minutes)
    print(json.dumps({key: told[key] for key in ("runs", "seeds", "summary", "left_out")}, indent=1))


if __name__ == "__main__":
    main()
