"""Reads ``AB_PROGRESS`` lines, wherever a trial's standard output comes from."""

from __future__ import annotations

import contextlib
import hashlib
import json
from pathlib import Path

from auto_benchmark.contract.limits import LARGEST_NUMBER, LONGEST_NAME, storable
from auto_benchmark.runners import entrypoint
from auto_benchmark.runners.runner import OnProgress, ProgressLine
from auto_benchmark.runners.train_log import open_log

MOST_REMEMBERED = 100_000
MOST_METRICS_IN_LINE = 100
LONGEST_LINE = entrypoint.LONGEST_PROGRESS_LINE
"""As the entrypoint bounds what it passes on; a trial may get around it, and write to its standard output itself."""
SMALLEST_STEP, LARGEST_STEP = -(2**63), 2**63 - 1


class ProgressLines:
    """Hands on each progress line once, wherever it is read first.

    A platform's log is what can be read while a trial runs, and may lose lines when the platform is restarted; the
    trial's own log, which is there at the end, has them all.
    """

    def __init__(self, on_progress: OnProgress | None) -> None:
        self._on_progress = on_progress
        self._handed: set[bytes] = set()

    def take(self, line: bytes) -> None:
        """Hand on one line without its end, unless that was done before."""
        line = line[max(0, line.rfind(entrypoint.PROGRESS)) :]  # a bar may stand before it in the log
        known = hashlib.blake2b(line, digest_size=16).digest()
        if self._on_progress is None or known in self._handed:
            return
        if progress := parse_progress(line):
            if len(self._handed) < MOST_REMEMBERED:
                self._handed.add(known)
            self._on_progress(progress)

    def complete(self, log: Path) -> None:
        """Hand on what was missed, from ``train.log``; not for a trial that said more than is remembered."""
        if self._on_progress is None or len(self._handed) >= MOST_REMEMBERED:
            return
        if lines := open_log(log):
            with contextlib.suppress(OSError), lines:
                for line in lines:
                    self.take(line.rstrip(b"\n"))


def parse_progress(line: bytes) -> ProgressLine | None:
    """Read one ``AB_PROGRESS`` line; anything malformed is not progress, and not an error either."""
    if not line.startswith(entrypoint.PROGRESS) or len(line) > LONGEST_LINE:
        return None
    try:
        data = json.loads(line.removeprefix(entrypoint.PROGRESS))
        step = int(data["step"])
        if len(data["metrics"]) > MOST_METRICS_IN_LINE:
            return None
        said = [(str(name), float(value)) for name, value in data["metrics"].items()]
        metrics = {name: value for name, value in said if _is_fit(name, value)}
        return ProgressLine(step, metrics) if SMALLEST_STEP <= step <= LARGEST_STEP else None
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None


def _is_fit(name: str, value: float) -> bool:
    """Whether every store takes a value under this name."""
    return len(name) <= LONGEST_NAME and name == storable(name) and abs(value) <= LARGEST_NUMBER


def hand_on(received: bytes, on_progress: OnProgress | None) -> bytes:
    """Report complete progress lines; return the incomplete rest, as far as it may become one."""
    *lines, rest = received.split(b"\n")
    for line in lines:
        if on_progress and (progress := parse_progress(line)):
            on_progress(progress)
    return rest[: LONGEST_LINE + 1]
