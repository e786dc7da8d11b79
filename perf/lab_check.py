"""`lab check` on all tasks: anchors measured again, every cheat tried, and each anchor's program counted twenty times.

    nice python perf/lab_check.py [TASK ...] [--minutes 600] [--again]

A task whose files and harness are as they were is not checked again, so that the whole can be stopped and go on later.
"""

import argparse
import csv
import json
import os
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "include"))
RESULT = ROOT / "perf" / "results" / "lab_check.json"
CLASSES = ROOT / "perf" / "data" / "lab_cheats.csv"
PARTS = ("include/auto_benchmark/lab/harness", "include/auto_benchmark/runners/confinement")
GPU, GPU_ONLY = "gpu_", {"gpu", "gpu_launch", "kernel"}
FEWEST_CHEATS = 60


def classes() -> dict[tuple[str, str], str]:
    """(Task, cheat) -> class of the attack."""
    with CLASSES.open(encoding="utf-8", newline="") as file:
        return {(row["task"], row["cheat"]): row["class"] for row in csv.DictReader(file)}


def code_of(name: str) -> str:
    """Hash of what a task's check depends on in this repository."""
    state, is_for_a_gpu = sha256(), name.startswith(GPU)
    for part in (f"include/lab/{name}", *PARTS):
        for file in sorted((ROOT / part).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts and (is_for_a_gpu or file.stem not in GPU_ONLY):
                state.update(f"{file.relative_to(ROOT)}\0".encode() + sha256(file.read_bytes()).digest())
    return state.hexdigest()[:16]


def checked(name: str) -> dict[str, Any]:
    """One task's row of the table."""
    from auto_benchmark.lab.catalog import load
    from auto_benchmark.lab.check import check
    from auto_benchmark.settings import Settings

    settings, began = Settings(), time.monotonic()
    task, code = load(settings, name), code_of(name)
    found = check(settings, name)
    row: dict[str, Any] = {
        "code": code, "axis": str(task.anchors.axis), "language": task.anchors.language, "ok": found.ok,
        "skipped": found.skipped, "unit": task.anchors.unit, "declared_spread": task.anchors.spread,
        "baseline": {"declared": task.anchors.baseline, "measured": found.baseline},
        "reference": {"declared": task.anchors.reference, "measured": found.reference},
        "cheats": {"refused": found.cheats[0], "of": found.cheats[1]}, "problems": found.problems,
        "notes": found.notes, "counts": counts(found.counts),
    }  # fmt: skip
    return {**row, "seconds": round(time.monotonic() - began, 1), "load_1m": round(os.getloadavg()[0], 1)}


def counts(found: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    """What each anchor's program counted on one input, alone and beside a busy process."""
    return {
        anchor: {
            "runs": len(every), "smallest": min(every), "largest": max(every), "different": len(set(every)),
            "spread": (max(every) - min(every)) / min(every),
        }
        for anchor, every in found.items()
    }  # fmt: skip


def measure(names: list[str], minutes: float = float("inf"), *, again: bool = False) -> dict[str, Any]:
    """Check the tasks that have changed since they were checked; returns and keeps the whole table."""
    from auto_benchmark.lab.catalog import chosen
    from auto_benchmark.settings import Settings

    began = time.monotonic()
    every = chosen(Settings(), [])
    rows: dict[str, Any] = json.loads(RESULT.read_text(encoding="utf-8"))["tasks"] if RESULT.exists() else {}
    rows = {name: row for name, row in rows.items() if name in every and row["code"] == code_of(name)}
    left = [name for name in chosen(Settings(), names) if again or name not in rows]
    for at, name in enumerate(left):
        if time.monotonic() - began > minutes * 60:
            break
        rows[name] = checked(name)
        keep(rows, len(every))
        row = rows[name]
        print(
            f"[lab_check] {at + 1} of {len(left)}: {name} {'sound' if row['ok'] else 'NOT SOUND'} "
            f"{row['cheats']['refused']} of {row['cheats']['of']} cheats, {row['seconds']} s {row['problems']}",
            flush=True,
        )
    return keep(rows, len(every))


def keep(rows: dict[str, Any], wanted: int) -> dict[str, Any]:
    """Write the table with its sums."""
    from auto_benchmark.lab.machine import machine

    tried = {name for name, row in rows.items() if row["skipped"] is None}
    of_class = Counter(kind for (task, _), kind in classes().items() if task in tried)
    result = {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": "python perf/lab_check.py", "tools": dict(machine().tools),
        "counter_can_be_switched_off": machine().uncounted,
        "tasks_checked": len(rows), "tasks": dict(sorted(rows.items())),
        "sound": sum(row["ok"] and row["skipped"] is None for row in rows.values()),
        "skipped": {name: row["skipped"] for name, row in rows.items() if row["skipped"]},
        "cheats": {"refused": sum(rows[name]["cheats"]["refused"] for name in tried),
                   "of": sum(rows[name]["cheats"]["of"] for name in tried)},
        "cheats_by_class": dict(of_class.most_common()),
        "missing": wanted - len(rows),
    }  # fmt: skip
    RESULT.write_text(json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
    return result


def faults(found: dict[str, Any]) -> list[str]:
    """What a table does not show that it should."""
    wrong = [f"{name}: {text}" for name, row in found["tasks"].items() for text in row["problems"]]
    if found["missing"]:
        wrong.append(f"{found['missing']} tasks are not checked")
    refused, of = found["cheats"]["refused"], found["cheats"]["of"]
    if refused < max(of, FEWEST_CHEATS):
        wrong.append(f"{refused} of {of} cheats are refused; at least {FEWEST_CHEATS} are wanted")
    unclassed = {(task, path.name) for task in found["tasks"] for path in _cheats(task)} ^ set(classes())
    return [*wrong, *(f"perf/data/lab_cheats.csv: {task}/{cheat}" for task, cheat in sorted(unclassed))]


def _cheats(task: str) -> list[Path]:
    return [path for path in (ROOT / "include" / "lab" / task / "tests" / "cheats").glob("[!.]*") if path.is_dir()]


def main() -> None:
    """Check, keep and say what is wrong; exit 1 then."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--again", action="store_true")
    given = parser.parse_args()
    found = measure(given.tasks, given.minutes, again=given.again)
    print(json.dumps({key: found[key] for key in found if key != "tasks"}, indent=1))
    for text in (wrong := faults(found)):
        print(text)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
