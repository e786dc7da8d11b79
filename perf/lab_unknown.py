"""Both offline agents, unchanged, on three programs in three languages that no agent's code refers to (perf/lab_unknown/).

    nice python perf/lab_unknown.py [--seeds 2] [--attempts 6] [--measures 4] [--minutes 600] [--only TASK]

Every run has a folder in var/lab_unknown and resumes there. The gain is taken on inputs that the run has not seen: the
chosen program's score against the given program's on the same fresh draws.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import fmean
from typing import Any

from measured import keep

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / place) for place in ("include", "plugins")]
LAB = ROOT / "perf" / "lab_unknown"
RUNS = ROOT / "var" / "lab_unknown"
AGENTS = ("tune", "evolve")
SEEDS, ATTEMPTS, MEASURES, FRESH = 2, 6, 4, 5


def measure(
    seeds: int = SEEDS,
    attempts: int = ATTEMPTS,
    measures: int = MEASURES,
    minutes: float = float("inf"),
    only: str | None = None,
) -> dict[str, Any]:
    """Run what has not ended, seed by seed; returns what is known."""
    from auto_benchmark.lab.catalog import load, names
    from auto_benchmark.settings import Settings

    settings, began = Settings(lab=LAB), time.monotonic()
    wanted = [(seed, name, agent) for seed in range(1, seeds + 1) for name in names(settings) for agent in AGENTS]
    rows: list[dict[str, Any]] = []
    for seed, name, agent in wanted:
        folder = RUNS / f"{attempts}x{measures}" / f"{name}-{agent}-{seed}"
        is_left = only not in (None, name) or time.monotonic() - began > minutes * 60
        if is_left and not (folder / "gain.json").exists():
            continue
        rows.append(_gain(load(settings, name), agent, seed, folder, attempts, measures))
        print(f"[lab_unknown] {len(rows)} of {len(wanted)}: {json.dumps(rows[-1])}", flush=True)
    return {
        "attempts": attempts, "measures_each": measures, "fresh_verifications": FRESH, "wanted": len(wanted),
        "runs": rows, "gain": _gains(rows),
    }  # fmt: skip


def _gain(task: Any, agent: str, seed: int, folder: Path, attempts: int, measures: int) -> dict[str, Any]:
    """One run, and how many times better what it chose is than what was given, on the same fresh inputs."""
    from auto_benchmark.lab.choice_of_agent import MAKERS
    from auto_benchmark.lab.plan import Plan
    from auto_benchmark.lab.run import run
    from auto_benchmark.lab.verification import verify

    known = folder / "gain.json"
    if known.exists():
        told: dict[str, Any] = json.loads(known.read_text(encoding="utf-8"))
        return told
    plan = Plan(task.name, agent, attempts, 600.0, attempts * measures, FRESH)
    result = run(task, MAKERS[agent](""), plan, folder)
    ratios = []
    for verdict in result["result"]["verdicts"]:
        given = verify(task, task.environment, seed=verdict["seed"]).score
        if verdict["score"] and given:
            better = given / verdict["score"]
            ratios.append(better if task.anchors.direction == "minimize" else 1 / better)
    row = {
        "task": task.name, "language": task.anchors.language, "agent": agent, "seed": seed,
        "valid": result["result"]["valid"], "chosen": result["chosen"],
        "times_better": round(fmean(ratios), 4) if ratios else None,
        "smallest": round(min(ratios), 4) if ratios else None, "largest": round(max(ratios), 4) if ratios else None,
        "attempts_valid": sum(each["valid"] for each in result["attempts"]), "measures": result["measures"],
    }  # fmt: skip
    known.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return row


def _gains(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Agent -> task -> mean over runs."""
    return {
        agent: {
            task: round(fmean(row["times_better"] or 1.0 for row in rows if (row["agent"], row["task"]) == (agent, task)), 3)
            for task in sorted({row["task"] for row in rows if row["agent"] == agent})
        }
        for agent in AGENTS
    }  # fmt: skip


def main() -> None:
    """Run at the size of the command line and keep the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--attempts", type=int, default=ATTEMPTS)
    parser.add_argument("--measures", type=int, default=MEASURES)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--only", help="start no run on another task")
    given = parser.parse_args()
    told = measure(given.seeds, given.attempts, given.measures, given.minutes, given.only)
    keep("lab_unknown", told)
    print(json.dumps(told["gain"], indent=1))


if __name__ == "__main__":
    main()
