"""One sealed verification, run as a process of its own that the candidate cannot see."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from auto_benchmark.errors import AutoBenchmarkError, InputError, RefusedError
from auto_benchmark.lab.task import Task
from auto_benchmark.runners.isolation import offered
from auto_benchmark.scratch import scratch_folder

HARNESS = Path(__file__).parent / "harness"
PASSED_THROUGH = 0o711
"""Mode of the harness's temporary folder: the candidate, a user of its own, passes through to its own folder."""
LONGEST_S, RECOUNT_S = 300.0, 60.0
"""Of a verification, and more for each count that is repeated."""
EXIT_MISSING, EXIT_UNCONFINED, EXIT_FAULT, SEED_BY_PIPE = 69, 70, 71, "-"
"""As in ``harness/judge.py``."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, and what was found."""

    name: str
    passed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class TaskVerdict:
    """What a verification found.

    Attributes:
        valid: whether all checks were passed.
        score: in the task's unit; None when it is not valid.
        reward: 0 when it is not valid.
        ratio: how many times better than the baseline.
        autolab: the reward by AutoLab's formula, for comparison.
        seed: of the inputs; None where the verification did not come to an end.
        checks: in their order.
        counts: of one program on one input, where they were asked for.
    """

    valid: bool
    score: float | None
    reward: float
    ratio: float
    autolab: float
    seed: int | None
    checks: tuple[Check, ...]
    counts: tuple[int, ...] = ()

    @property
    def reason(self) -> str:
        """Why it is not valid; empty when it is."""
        return next((check.reason for check in self.checks if not check.passed), "")

    @property
    def refused_by(self) -> str | None:
        """Name of the check that was not passed."""
        return next((check.name for check in self.checks if not check.passed), None)


class MissingToolchainError(RefusedError):
    """This machine lacks a program that a task needs."""


class UnsealedError(RefusedError):
    """This machine cannot confine a candidate, so that nothing is verified here."""


def verify(task: Task, candidate: Path, *, seed: int | None = None, recounts: int = 0) -> TaskVerdict:
    """Verify the files of a candidate.

    Args:
        task: which.
        candidate: folder with the editable files.
        seed: of the inputs; drawn anew by default.
        recounts: how often one input is counted again.

    Raises:
        InputError: there is no such folder, or the task's verifier is faulty.
        MissingToolchainError, UnsealedError: of this machine.
        AutoBenchmarkError: the verifier itself failed.
    """
    if not candidate.is_dir():
        raise InputError(f"{candidate}: no such folder")
    with scratch_folder("verdict") as out:
        fixed = [] if seed is None else ["--seed", SEED_BY_PIPE]
        arguments = [str(task.tests.resolve()), "--candidate", str(candidate.resolve()), "--out", str(out),
                     "--layers", _layers(), "--recounts", str(recounts), *fixed]  # fmt: skip
        longest = LONGEST_S + recounts * RECOUNT_S
        try:
            ended = ask_harness(arguments, longest, told="" if seed is None else f"{seed}\n")
        except subprocess.TimeoutExpired:
            return _refused(seed, f"the verification did not end within {longest:g} s")
        words = ended.stderr.strip().rpartition("\n")[2]
        if ended.returncode == EXIT_MISSING:
            raise MissingToolchainError(f"{task.name}: {words}")
        if ended.returncode == EXIT_UNCONFINED:
            raise UnsealedError(f"{task.name}: {words}")
        if ended.returncode == EXIT_FAULT:
            raise InputError(f"{task.name}/{words}")
        if ended.returncode:
            raise AutoBenchmarkError(f"{task.name}: the verifier failed: {words}")
        if not (out / "reward.json").is_file():  # written last
            raise InputError(f"{task.name}/tests/verify.py: ends without a verdict")
        return _read(out)


def _refused(seed: int | None, reason: str) -> TaskVerdict:
    """Of a candidate that keeps the verifier busy: one verification never ends a run of attempts."""
    return TaskVerdict(False, None, 0.0, 0.0, 0.0, seed, (Check("runs", False, reason),))


def ask_harness(arguments: list[str], longest_s: float, *, told: str = "") -> subprocess.CompletedProcess[str]:
    """Run the harness; what it leaves in its temporary folder when it is killed goes with the folder.

    Args:
        arguments: every process of the machine may read them.
        longest_s: it is ended after that.
        told: its standard input, which no other process reads.

    Raises:
        subprocess.TimeoutExpired: after ``longest_s`` seconds.
    """
    with scratch_folder("lab") as scratch:
        scratch.chmod(PASSED_THROUGH)
        return subprocess.run(  # noqa: S603 - an own program
            [sys.executable, "-I", "-S", str(HARNESS), *arguments], input=told, capture_output=True, text=True,
            timeout=longest_s, check=False, env={**os.environ.copy(), "TMPDIR": str(scratch)},
        )  # fmt: skip


@cache
def _layers() -> str:
    """What this machine isolates, asked once: each verification would try it again, which takes a third of its start."""
    return json.dumps(offered().layers._asdict())


def _read(out: Path) -> TaskVerdict:
    numbers = json.loads((out / "reward.json").read_text(encoding="utf-8"))
    told = json.loads((out / "checks.json").read_text(encoding="utf-8"))
    return TaskVerdict(
        valid=bool(numbers["valid"]), score=numbers.get("score"), reward=numbers["reward"],
        ratio=numbers.get("ratio", 0.0), autolab=numbers.get("autolab", 0.0), seed=told["seed"],
        checks=tuple(Check(**check) for check in told["checks"]), counts=tuple(told["counts"]),
    )  # fmt: skip
