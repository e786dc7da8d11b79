"""The two laboratory tasks for a GPU, verified on a machine that has one: anchors, whether counts repeat, cheats.

    python3 perf/lab_gpu.py [--seconds 480] [--to perf/results/lab_gpu.json]

It needs Python 3.11, the driver, nvcc and Nsight Compute, and none of the project's packages. What has been found is
written after each verification.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
HARNESS = ROOT / "include" / "auto_benchmark" / "lab" / "harness"
LAB = ROOT / "include" / "lab"
TASKS = ("gpu_matrix_product", "gpu_blur")
REPEATS = 3
ANCHORS = ("baseline", "reference")
LONGEST_S = 200.0


def verified(task: str, candidate: Path, seed: int) -> dict[str, Any]:
    """One verification as the harness tells it; a fault of the machine under ``failed``."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as out:
        line = [sys.executable, "-I", "-S", str(HARNESS), str(LAB / task / "tests"), "--candidate", str(candidate)]
        ended = subprocess.run(
            [*line, "--out", out, "--seed", str(seed)], capture_output=True, text=True, check=False, timeout=LONGEST_S
        )
        told: dict[str, Any] = {"seconds": 0.0}
        if ended.returncode:
            told["failed"] = f"exit {ended.returncode}: {ended.stderr[-1500:]}"
        else:
            told |= json.loads((Path(out) / "reward.json").read_text())
            checks = json.loads((Path(out) / "checks.json").read_text())["checks"]
            told["checks"] = {check["name"]: check["reason"] for check in checks}
            told["refused_by"] = next((check["name"] for check in checks if not check["passed"]), None)
    return {**told, "seconds": round(time.monotonic() - began, 1)}


def anchors_of(task: str) -> dict[str, Any]:
    """``[metadata.optimization]``."""
    declared: dict[str, Any] = tomllib.loads((LAB / task / "task.toml").read_text())["metadata"]["optimization"]
    return declared


def cases(task: str) -> list[tuple[str, Path, int, str | None]]:
    """Name, folder, seed, and the check that has to refuse it."""
    folder = LAB / task
    anchors = (("baseline", folder / "environment"), ("reference", folder / "solution"))
    own = [(f"{name} {n}", place, 1, None) for name, place in anchors for n in range(1, REPEATS + 1)]
    fresh = [(f"{name} on other inputs", place, 2, None) for name, place in anchors]
    tried = [
        (f"cheat {path.name}", path, 1, tomllib.loads((path / "cheat.toml").read_text())["refused_by"])
        for path in sorted((folder / "tests" / "cheats").iterdir())
    ]
    return [*own, *fresh, *tried]


def measure(seconds: float, to: Path) -> dict[str, Any]:
    """Verify what there is time for."""
    began = time.monotonic()
    asked = subprocess.run(
        [sys.executable, "-I", "-S", str(HARNESS), "machine"], capture_output=True, text=True, check=False
    )
    found: dict[str, Any] = {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"), "command": "python3 perf/lab_gpu.py",
        "machine": asked.stdout.strip() or asked.stderr[-1500:], "tasks": {task: {} for task in TASKS}, "wrong": [],
    }  # fmt: skip
    print(found["machine"], flush=True)
    every = [(task, *case) for task in TASKS for case in cases(task)]
    every.sort(key=lambda case: (case[1].startswith("cheat"), case[1] == "cheat never_ends"))
    for task, name, folder, seed, refused_by in every:
        if time.monotonic() - began > seconds:
            found["wrong"].append("stopped by the clock")
            break
        told = verified(task, folder, seed)
        found["tasks"][task][name] = told
        right = told.get("refused_by") == refused_by and "failed" not in told
        if seed == 1 and name.split()[0] in ANCHORS:
            right = right and told.get("score") == anchors_of(task)[name.split()[0]]
        if not right:
            found["wrong"].append(f"{task}: {name}")
        print(task, name, "as declared" if right else "WRONG", json.dumps(told), flush=True)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return found


def main() -> None:
    """Exit 1 when something is not as declared."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=480.0)
    parser.add_argument("--to", type=Path, default=ROOT / "perf" / "results" / "lab_gpu.json")
    given = parser.parse_args()
    found = measure(given.seconds, given.to)
    print("WRONG:" if found["wrong"] else "all as declared", *found["wrong"], sep="\n  ")
    sys.exit(1 if found["wrong"] else 0)


if __name__ == "__main__":
    main()
