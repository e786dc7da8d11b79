"""Runs hostile trials through ``auto-benchmark trial run``, in a process that may be harmed, and ends what they leave."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import yaml
from tests.contract.cheats import BASE

REPOSITORY = Path(__file__).resolve().parents[2]
TOY = REPOSITORY / "tests" / "toy"
LIMIT_S = 30.0
"""Of a command; only a fault reaches it."""
AFTER_THE_TRIAL_S = 10.0


@dataclass(frozen=True)
class Ended:
    """How ``trial run`` ended: its exit code, its JSON, what it said on stderr, and the trial's folder."""

    code: int
    told: Mapping[str, Any]
    err: str
    folder: Path

    @property
    def state(self) -> str:
        """``done``, ``failed``, or ``no answer`` where the command fell over."""
        return str(self.told.get("state", "no answer"))

    @property
    def failure(self) -> str | None:
        """The failure class, or the last line of a traceback."""
        if not self.told:
            return (self.err.strip().splitlines() or ["nothing was said"])[-1]
        return self.told["failure"]

    @property
    def log(self) -> str:
        """What the trial printed."""
        with contextlib.suppress(OSError):
            return (self.folder / "train.log").read_text(errors="replace")
        return ""

    @property
    def stored(self) -> dict[str, Any]:
        """``metrics.json`` of the finished trial."""
        return dict(json.loads((self.folder / "metrics.json").read_text()))


class HostileTrials:
    """Toy trials with code of the test's own in a folder of their own.

    Attributes:
        mark: text on the command line of every process of these trials, by which they are found; also a name that
            is free everywhere.
        after_the_trial_s: how long the command may go on once nothing of its trial runs any more.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.mark = f"hostile-{secrets.token_hex(8)}"
        self.after_the_trial_s = AFTER_THE_TRIAL_S
        self.home = root / "home"
        self.benchmarks = shutil.copytree(TOY / "benchmarks", root / "benchmarks")

    def run(
        self,
        code: str,
        *,
        seed: int = 1,
        stage: str = "fast",
        files: Mapping[str, str] | None = None,
        target: Mapping[str, Any] | None = None,
        wrapped_in: Sequence[str] = (),
        before_start: Callable[[], None] | None = None,
        out: Path | None = None,
        seeds_per_process: int = 1,
        **resources: Any,
    ) -> Ended:
        """One attempt of the command line at one trial. AssertionError where the command does not come back."""
        solution = self.root / "solution"
        solution.mkdir(exist_ok=True)
        for name, text in (files or {}).items():
            (solution / name).write_text(text)
        whole = f"# {self.mark}\n{BASE}\ntarget = {dict(target or {})!r}\nmark = {self.mark!r}\n{code}"
        limits = {"memory_mb": 400, "pids": 64, "fast_budget_s": 12.0, "budget_s": 12.0, "output_mb": 4, **resources}
        declared = {
            "name": "solution", "command": ["python", "-c", whole], "image": "none", "benchmark": "toy", "knobs": {},
            "seeds_per_process": seeds_per_process, "resources": limits,
        }  # fmt: skip
        (solution / "solution.yaml").write_text(yaml.safe_dump(declared))
        (self.root / "trial.yaml").write_text(yaml.safe_dump({"solution": str(solution), "stage": stage}))
        out = out or self.root / f"seed-{seed}"
        words = [*wrapped_in, sys.executable, "-m", "auto_benchmark", "trial", "run", str(self.root / "trial.yaml")]
        return self._ended([*words, "--seed", str(seed), "--json", "--out", str(out)], out, before_start)

    def _ended(self, words: Sequence[str], out: Path, before_start: Callable[[], None] | None) -> Ended:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("AUTO_BENCHMARK_")},
            "PYTHONPATH": str(REPOSITORY / "include"), "AUTO_BENCHMARK_HOME": str(self.home),
            "AUTO_BENCHMARK_BENCHMARKS": str(self.benchmarks), "AUTO_BENCHMARK_SOLUTIONS": str(self.root),
        }  # fmt: skip
        told, said = self.root / "stdout", self.root / "stderr"
        with told.open("wb") as stdout, said.open("wb") as stderr:  # files: what a survivor holds open ends no pipe
            process = subprocess.Popen(
                words, env=environment, cwd=self.root, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                start_new_session=True, preexec_fn=before_start,  # noqa: PLW1509 - it makes one system call
            )  # fmt: skip
        try:
            self._wait(process)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait(10)
        try:
            answer = json.loads(told.read_text())
        except ValueError:
            answer = {}
        return Ended(process.returncode, answer, said.read_text(errors="replace"), out)

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        started = last_seen = time.monotonic()
        seen = False
        while process.poll() is None:
            now = time.monotonic()
            if self.processes():
                seen, last_seen = True, now
            assert now - started < LIMIT_S, f"the command still runs after {LIMIT_S:g} s"
            assert not seen or now - last_seen < self.after_the_trial_s, "the trial has ended, but its worker hangs"
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.05)

    def processes(self) -> list[psutil.Process]:
        """Whatever runs of these trials."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.status() != psutil.STATUS_ZOMBIE and any(self.mark in word for word in process.cmdline()):
                    found.append(process)
        return found

    def survivors(self) -> list[str]:
        """What is left of trials that have ended; a killed process may take a moment to go."""
        deadline = time.monotonic() + 0.5
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return [f"process {process.pid}" for process in left]

    def end(self) -> None:
        """Kill every survivor, however fast it forks, and remove every file."""
        deadline = time.monotonic() + 10
        while (left := self.processes()) and time.monotonic() < deadline:
            for process in left:
                with contextlib.suppress(psutil.Error):
                    process.kill()
        for file in Path("/dev/shm").glob(f"*{self.mark}*"):
            file.unlink(missing_ok=True)
        # not shutil: the trees may be deeper than Python's stack, and closed to their owner
        if subprocess.run(["rm", "-rf", str(self.root)], check=False, capture_output=True, timeout=30).returncode:
            subprocess.run(["chmod", "-R", "u+rwx", str(self.root)], check=False, capture_output=True, timeout=30)
            subprocess.run(["rm", "-rf", str(self.root)], check=True, timeout=30)
