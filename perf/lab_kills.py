"""A run of thirty attempts that is killed five times at random loses nothing and makes nothing twice.

    nice -n 10 python perf/lab_kills.py [--task NAME] [--agent NAME] [--attempts 30] [--kills 5]

`lab run` is a process of its own, killed with SIGKILL together with everything that it had started, at moments drawn over
the whole of the run; each time the same command goes on.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from measured import keep

ROOT = Path(__file__).resolve().parent.parent
TASK, AGENT, ATTEMPTS, KILLS = "reversible_sort", "evolve", 30, 5
LATEST_S = 3.0
"""After the attempt that a kill waits for, at most."""
LOOK_S = 0.01
LONGEST_S = 3600.0


def measure(
    task: str = TASK, agent: str = AGENT, attempts: int = ATTEMPTS, kills: int = KILLS, seed: int = 1
) -> dict[str, Any]:
    """Run, kill and go on. Raises AssertionError when something was lost or made twice."""
    rng, began = random.Random(seed), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ab-lab-kills-") as folder:
        out = Path(folder) / "run"
        killed = [_killed(task, agent, attempts, out, at, rng) for at in sorted(rng.sample(range(attempts), kills))]
        before = _rows(out)
        whole = _start(task, agent, attempts, out)
        said, _ = whole.communicate(timeout=LONGEST_S)
        assert whole.returncode == 0, said
        result, rows = json.loads(said), _rows(out)
        assert rows[: len(before)] == before, "a finished attempt has changed"
        assert [json.loads(row)["attempt"] for row in rows] == list(range(1, attempts + 1)), (
            "attempts are lost or twice"
        )
        assert [row["attempt"] for row in result["attempts"]] == list(range(1, attempts + 1))
        for number in range(1, attempts + 1):
            assert (out / "state" / str(number)).is_dir(), f"the files of attempt {number} are gone"
            assert json.loads((out / "trajectory" / f"{number}.json").read_text())["outcome"] == "evaluate"
        again = _start(task, agent, attempts, out)
        said_again, _ = again.communicate(timeout=LONGEST_S)
        assert json.loads(said_again) == result, "the run that is over is not taken as it is"
    return {
        "task": task, "agent": agent, "attempts": attempts, "finished_before_each_kill": killed,
        "chosen": result["chosen"], "reward": result["reward"], "seconds": round(time.monotonic() - began, 1),
    }  # fmt: skip


def _start(task: str, agent: str, attempts: int, out: Path) -> subprocess.Popen[str]:
    words = ["lab", "run", task, "--agent", agent, "--attempts", str(attempts), "--measures", str(2 * attempts)]
    return subprocess.Popen(
        [sys.executable, "-m", "auto_benchmark", *words, "--seeds", "2", "--out", str(out), "--json"], cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "include"}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        start_new_session=True,
    )  # fmt: skip


def _killed(task: str, agent: str, attempts: int, out: Path, at: int, rng: random.Random) -> int:
    """Go on until so many attempts have ended and a little longer, and kill; returns how many had ended by then."""
    before = _rows(out)
    process = _start(task, agent, attempts, out)
    try:
        until = time.monotonic() + LONGEST_S
        while len(_rows(out)) < at and time.monotonic() < until:
            assert process.poll() is None, "the run has ended before it was killed"
            time.sleep(LOOK_S)
        until = time.monotonic() + rng.uniform(0.0, LATEST_S)
        while time.monotonic() < until and len(_rows(out)) < attempts - 1:  # on a quick machine it would be over
            time.sleep(LOOK_S)
        assert process.poll() is None, "the run has ended before it was killed"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close() if process.stdout else None
    after = _rows(out)
    assert after[: len(before)] == before, "a finished attempt has changed"
    return len(after)


def _rows(out: Path) -> list[str]:
    file = out / "attempts.jsonl"
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def main() -> None:
    """Measure at the size of the command line and keep the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default=TASK)
    parser.add_argument("--agent", default=AGENT)
    parser.add_argument("--attempts", type=int, default=ATTEMPTS)
    parser.add_argument("--kills", type=int, default=KILLS)
    given = parser.parse_args()
    told = measure(given.task, given.agent, given.attempts, given.kills)
    keep("lab_kills", told)
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
