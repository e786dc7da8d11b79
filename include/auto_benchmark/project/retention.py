"""Retention: removes what is older than ``schedule.yaml`` keeps, class by class. Rows and scores always stay."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from auto_benchmark.artifacts import trial_folder
from auto_benchmark.project.context import Context

DAY_S = 86_400.0


def collect(ctx: Context, *, dry_run: bool = False) -> dict[str, dict[str, int]]:
    """Remove expired files.

    Returns:
        Class -> ``{"files", "bytes"}`` removed, or that would be.
    """
    keep = ctx.config.schedule.retention
    results = ctx.home / "experiments" / "results"
    classes: dict[str, tuple[int, Iterator[Path]]] = {
        "raw_pages": (keep.raw_pages, (ctx.home / "raw").rglob("*.gz")),
        "predictions": (keep.predictions, results.rglob(trial_folder.PREDICTIONS)),
        "checkpoints": (keep.checkpoints, results.rglob(trial_folder.CHECKPOINT)),
        "logs": (keep.logs, results.rglob(trial_folder.LOG)),
    }
    return {name: _expire(days, files, dry_run) for name, (days, files) in classes.items()}


def _expire(days: int, files: Iterator[Path], dry_run: bool) -> dict[str, int]:
    oldest = time.time() - days * DAY_S
    told = {"files": 0, "bytes": 0}
    for path in files:
        status = path.lstat()
        if status.st_mtime < oldest:
            told["files"] += 1
            told["bytes"] += status.st_size
            if not dry_run:
                path.unlink(missing_ok=True)
    return told
