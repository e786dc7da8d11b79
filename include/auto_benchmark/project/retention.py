"""Retention: removes what is older than ``schedule.yaml`` keeps, class by class. Rows and scores always stay."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from auto_benchmark import trees
from auto_benchmark.artifacts import trial_folder
from auto_benchmark.artifacts.code_tree import copies
from auto_benchmark.artifacts.neutral_place import left_behind
from auto_benchmark.db.repositories import code_trees
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
        "proposals": (keep.logs, (ctx.home / "proposals").glob("*")),
    }
    removed = {name: _expire(days, files, dry_run) for name, (days, files) in classes.items()}
    # of all projects of the home, since they share them; code that no row names is copied again where a trial needs it
    root = ctx.settings.root
    with ctx.sessions() as session:
        named = code_trees.in_use(session=session)
    code = (copy for copy in copies(root) if copy.name not in named)
    shared = {"code": (keep.code, code), "unfinished": (keep.checkpoints, left_behind(root))}
    return {**removed, **{name: _expire(days, paths, dry_run) for name, (days, paths) in shared.items()}}


def _expire(days: int, paths: Iterator[Path], dry_run: bool) -> dict[str, int]:
    """Remove the files and folders among ``paths`` that nothing has touched for so many days."""
    oldest = time.time() - days * DAY_S
    told = {"files": 0, "bytes": 0}
    for path in paths:
        if _touched(path.lstat()) >= oldest:
            continue
        inside = [path, *path.rglob("*")] if path.is_dir() and not path.is_symlink() else [path]
        files = [status for one in inside if not stat.S_ISDIR((status := one.lstat()).st_mode)]
        told["files"] += len(files)
        told["bytes"] += sum(status.st_size for status in files)
        if not dry_run:
            trees.remove(path)
    return told


def _touched(status: os.stat_result) -> float:
    """When a file was last touched. Its owner may give it any time to come, but not a change in the future."""
    return min(status.st_mtime, status.st_ctime)
