"""`lab check` on all tasks: anchors measured again, every cheat tried, and whether counts are the same at every run.

    nice python perf/lab_check.py [TASK ...] [--minutes 600] [--again]

A task whose files and harness are as they were is not checked again, so that the whole can be stopped and go on later. A
counted task's given program is counted ten times on one input, and ten times beside a process that keeps a core busy.
"""

import argparse
import csv
import json
import os
import random
import runpy
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / place) for place in ("include", "include/auto_benchmark/lab")]
RESULT = ROOT / "perf" / "results" / "lab_check.json"
CLASSES = ROOT / "perf" / "data" / "lab_cheats.csv"
COUNTS_EACH = 10
PARTS = ("include/auto_benchmark/lab/harness", "include/auto_benchmark/runners/confinement")
GPU, GPU_ONLY = "gpu_", {"gpu", "gpu_launch", "kernel"}
BUSY = "while True: pass"
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
        "notes": found.notes,
    }  # fmt: skip
    if found.skipped is None and "valgrind" in task.anchors.toolchain:
        row["counts"] = counts(name)
        if row["counts"]["spread"] > task.anchors.spread:
            row["ok"] = False
            row["problems"] = [*found.problems, f"counts differ by {row['counts']['spread']:.3%}"]
    return {**row, "seconds": round(time.monotonic() - began, 1), "load_1m": round(os.getloadavg()[0], 1)}


def counts(name: str) -> dict[str, Any]:
    """The given program built once and counted on one input, alone and beside a busy process."""
    from harness import counter
    from harness.candidate import opened

    folder = ROOT / "include" / "lab" / name
    verifier = runpy.run_path(str(folder / "tests" / "verify.py"))["Verify"]()
    stdin = verifier.encode(verifier.draw(random.Random(1)))
    editable = [path.name for path in (folder / "environment").iterdir() if path.name != "Dockerfile"]

    def once() -> int:
        _, found = counter.count(
            verifier.build.start, folder=candidate.built, stdin=stdin, limits=verifier.limits, user=candidate.user,
            caches=verifier.caches, readable=verifier.build.readable(),
        )  # fmt: skip
        return found.with_misses if verifier.caches else found.instructions

    with opened(folder / "environment", editable, folder / "environment") as candidate:
        candidate.build(verifier.build)
        alone = [once() for _ in range(COUNTS_EACH)]
        busy = subprocess.Popen([sys.executable, "-c", BUSY])
        try:
            beside = [once() for _ in range(COUNTS_EACH)]
        finally:
            busy.kill()
            busy.wait()
    every = [*alone, *beside]
    return {
        "runs": len(every), "smallest": min(every), "largest": max(every), "different": len(set(every)),
        "spread": (max(every) - min(every)) / min(every),
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

    for row in rows.values():
        row.get("counts", {}).pop("beside_a_busy_core_in_the_same_range", None)
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
