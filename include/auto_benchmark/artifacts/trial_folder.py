"""The files of one finished trial, as the mission lays them out.

``config.yaml``, ``metrics.json``, ``train.log``, ``predictions.jsonl`` and ``eval_on_leaderboard.json``. Of these
``metrics.json`` is written last, so that a folder with it is complete. What a trial wrote itself lies below
``output`` until it has been checked.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auto_benchmark import atomic, trees
from auto_benchmark.artifacts.trial_output import DEEPEST_FOLDER, MOST_FILES, OutputError, read_bounded
from auto_benchmark.documents import to_yaml
from auto_benchmark.errors import InputError

CONFIG, METRICS, LOG, PREDICTIONS = "config.yaml", "metrics.json", "train.log", "predictions.jsonl"
CHECKPOINT = "checkpoint.bin"
BOARDS, ITEMS, OUTPUT = "eval_on_leaderboard.json", "items.json", "output"
SHARED = ".output-of-seeds"
REPORTED, PROGRESS = "metrics.json", "progress.jsonl"
WRITTEN = (PREDICTIONS, PROGRESS, CHECKPOINT)
"""What a trial may leave, besides the metrics that it reports."""
LARGEST_LOG_BYTES = 17 * 2**20
"""The entrypoint stops a little below."""


def prepare(folder: Path) -> None:
    """Make the folder of a trial that a person asks for. Raises InputError where nothing can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None


def write_config(folder: Path, config: Mapping[str, Any]) -> None:
    """Write the exact configuration as YAML, before the trial starts."""
    atomic.write_text(folder / CONFIG, to_yaml(dict(config)))


def empty_output(folder: Path) -> Path:
    """A new, empty output directory of a trial, for the worker's own user.

    Whatever a former attempt left is removed, or moved aside where it cannot be.
    """
    output = folder / OUTPUT
    trees.make_way(output)
    output.mkdir(parents=True, mode=0o700)
    return output


def share_out(output: Path, folders: Mapping[int, Path]) -> None:
    """Make each ``seed-<n>/`` of a process that seed's own ``output``, with the log of all; the rest is removed.

    So that what one seed leaves is looked at with that seed alone. A seed without a directory of its own gets an empty
    one, and fails when it is read; a link is none.
    """
    shared = output.with_name(SHARED)
    trees.make_way(shared)
    output.rename(shared)
    log = _log_of(shared)
    for seed, folder in folders.items():
        own = folder / OUTPUT
        _take(shared / f"seed-{seed}", own)
        if log is not None:
            trees.remove(own / LOG)
            (own / LOG).write_bytes(log)
    trees.remove(shared)


def _take(source: Path, target: Path) -> None:
    """Move a directory that a trial has made in place of an empty one, which is there in any case."""
    target.mkdir(exist_ok=True, mode=0o700)
    with contextlib.suppress(OSError):
        if stat.S_ISDIR(source.lstat().st_mode):
            source.chmod(0o700)  # to move a folder changes its "..", which takes the right to write in it
            source.replace(target)


def keep_output(folder: Path) -> None:
    """Move the trial's log, predictions, progress and checkpoint beside ``config.yaml``; only regular files move."""
    for name in (LOG, *WRITTEN):
        _move(folder / OUTPUT / name, folder / name)


def leave_output(folder: Path) -> None:
    """Keep the rest of a failed trial's output for finding the cause, unless it cannot be looked through."""
    output = folder / OUTPUT
    if trees.excess(output, most=MOST_FILES, deepest=DEEPEST_FOLDER):
        trees.remove(output)


def _log_of(output: Path) -> bytes | None:
    """The log, unless something else has its name."""
    try:
        return read_bounded(output / LOG, LARGEST_LOG_BYTES)
    except OutputError:
        return None


def _move(source: Path, target: Path) -> None:
    """Move a regular file that has no second name, and make it readable; anything else stays where it is."""
    try:
        status = source.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
            if target.is_dir() and not target.is_symlink():
                trees.remove(target)
            source.replace(target)
            target.chmod(0o644)
            os.utime(target)  # retention counts from here, and not from a time that the trial has chosen
    except OSError:
        return


def write_results(
    folder: Path, *, metrics: Mapping[str, Any], boards: Mapping[str, Any], items: Mapping[str, Any]
) -> None:
    """Write items, board scores and, last, metrics."""
    for name, content in ((ITEMS, items), (BOARDS, boards), (METRICS, metrics)):
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=None if name == ITEMS else 2)
        atomic.write_text(folder / name, text + "\n")


def predictions_digest(folder: Path) -> str | None:
    """SHA-256 of a trial's predictions, whatever the order of their lines; None without any.

    As ``metrics.json`` holds it, which is kept when the predictions themselves have expired.
    """
    known = (read_results(folder) or {}).get("predictions_sha256")
    if isinstance(known, str):
        return known
    try:
        lines = (folder / PREDICTIONS).read_bytes().splitlines()
    except OSError:
        return None
    return hashlib.sha256(b"\n".join(sorted(lines))).hexdigest()


def read_results(folder: Path) -> dict[str, Any] | None:
    """The complete ``metrics.json`` of a finished trial, or None."""
    try:
        data = json.loads((folder / METRICS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) else None


def read_items(folder: Path) -> dict[str, dict[str, float]]:
    """Per-item results of a finished trial: metric -> item id -> value."""
    data = json.loads((folder / ITEMS).read_text(encoding="utf-8"))
    return {str(k): dict(v) for k, v in data.items()}
