"""How an ended process did, from its exit code and last words; the same rules for every runner."""

from __future__ import annotations

import os
from pathlib import Path

from auto_benchmark.contract.failure import FailureClass, shown_by
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.runners.runner import RunResult
from auto_benchmark.runners.train_log import open_log

LOG_TAIL_BYTES = 16_384


def classify(exit_code: int, log_tail: str, *, oom_killed: bool = False) -> FailureClass | None:
    """Class of an ended process; None when it succeeded as far as the exit code tells.

    Args:
        exit_code: of the process; negative or above 128 after a signal.
        log_tail: last kilobytes of ``train.log``.
        oom_killed: whether the platform says that the kernel killed it for memory, which holds even beside exit 0.
    """
    if oom_killed:
        return FailureClass.OOM_HOST
    return None if exit_code == 0 else shown_by(exit_code, log_tail)


def last_words(log_tail: str) -> str:
    """The last line that says something, for messages; bounded."""
    lines = [line.strip() for line in log_tail.splitlines() if line.strip() and not line.startswith("AB_PROGRESS")]
    return lines[-1][:300] if lines else "no output"


def log_tail(path: Path) -> str:
    """Last kilobytes of a log, whatever its bytes are; nothing where no regular file is called so."""
    log = open_log(path)
    if log is None:
        return ""
    try:
        with log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - LOG_TAIL_BYTES))
            return log.read(LOG_TAIL_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def verdict(
    exit_code: int, output_dir: Path, wall_s: float, peak_memory_mb: float | None, *, cpu_s: float | None = None,
    oom_killed: bool = False,
) -> RunResult:  # fmt: skip
    """How a trial that ended by itself did, from its exit code and the end of its log; arguments as above."""
    tail = log_tail(output_dir / "train.log")
    failure = classify(exit_code, tail, oom_killed=oom_killed)
    if failure is None:
        return RunResult(TrialState.DONE, None, "", 0, wall_s, peak_memory_mb, cpu_s)
    message = f"exit {exit_code}: {last_words(tail)}"
    return RunResult(TrialState.FAILED, failure, message, exit_code, wall_s, peak_memory_mb, cpu_s)
