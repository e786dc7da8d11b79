"""Reads ``AB_PROGRESS`` lines, wherever a trial's standard output comes from."""

from __future__ import annotations

import json
import math

from auto_benchmark.runners import entrypoint
from auto_benchmark.runners.runner import OnProgress, Progress


def parse_progress(line: bytes) -> Progress | None:
    """Read one ``AB_PROGRESS`` line; anything malformed is not progress, and not an error either."""
    try:
        data = json.loads(line.removeprefix(entrypoint.PROGRESS))
        metrics = {str(k): float(v) for k, v in data["metrics"].items() if math.isfinite(float(v))}
        return Progress(int(data["step"]), metrics)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None


def hand_on(received: bytes, on_progress: OnProgress | None) -> bytes:
    """Report complete progress lines; return the incomplete rest."""
    *lines, rest = received.split(b"\n")
    for line in lines:
        if on_progress and (progress := parse_progress(line)):
            on_progress(progress)
    return rest
