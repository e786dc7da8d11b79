"""From exit codes and last words to a failure class; the same rules for every runner."""

from __future__ import annotations

import re

from auto_benchmark.experiments.trial import FailureClass
from auto_benchmark.runners.entrypoint import EXIT_ENVIRONMENT

OUT_OF_GPU_MEMORY = re.compile(
    r"CUDA out of memory|CUDNN_STATUS_ALLOC_FAILED|torch\.(cuda\.)?OutOfMemoryError|HIP out of"
)
OUT_OF_HOST_MEMORY = re.compile(
    r"^(numpy\.[\w.]*)?MemoryError\b|Cannot allocate memory|DataLoader worker .* killed by signal: Killed",
    re.MULTILINE,
)
SIGKILL_CODES = (-9, 137)
SIGTERM_CODES = (-15, 143)


def classify(exit_code: int, log_tail: str, *, oom_killed: bool = False) -> FailureClass | None:
    """Class of an ended process; None when it succeeded as far as the exit code tells.

    Args:
        exit_code: of the process; negative or above 128 after a signal.
        log_tail: last kilobytes of ``train.log``.
        oom_killed: whether the platform says that the kernel killed it for memory, which holds even beside exit 0.
    """
    if oom_killed:
        return FailureClass.OOM_HOST
    if exit_code == 0:
        return None
    if exit_code == EXIT_ENVIRONMENT:
        return FailureClass.ENVIRONMENT_ERROR
    if OUT_OF_GPU_MEMORY.search(log_tail):
        return FailureClass.OOM_GPU
    if OUT_OF_HOST_MEMORY.search(log_tail):
        return FailureClass.OOM_HOST
    if exit_code in SIGKILL_CODES or exit_code in SIGTERM_CODES:
        return FailureClass.KILLED
    return FailureClass.CRASH


def last_words(log_tail: str) -> str:
    """The last line that says something, for messages; bounded."""
    lines = [line.strip() for line in log_tail.splitlines() if line.strip() and not line.startswith("AB_PROGRESS")]
    return lines[-1][:300] if lines else "no output"
