"""The files of one finished trial, as the mission lays them out.

``config.yaml``, ``metrics.json``, ``train.log``, ``predictions.jsonl`` and ``eval_on_leaderboard.json``. Of these
``metrics.json`` is written last, so that a folder with it is complete. What a trial wrote itself lies below
``output`` until it has been checked.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from auto_benchmark import atomic
from auto_benchmark.errors import InputError

CONFIG, METRICS, LOG, PREDICTIONS = "config.yaml", "metrics.json", "train.log", "predictions.jsonl"
CHECKPOINT = "checkpoint.bin"
BOARDS, ITEMS, OUTPUT = "eval_on_leaderboard.json", "items.json", "output"


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
    atomic.write_text(folder / CONFIG, yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True))


def share_out(output: Path, folders: Mapping[int, Path]) -> None:
    """Move what a process wrote to ``seed-<n>/`` into that seed's own ``output``, and the log to all of them.

    A seed without a directory of its own keeps an empty one, and fails when it is read; links are not followed.
    """
    log = output / LOG
    text = log.read_bytes() if log.is_file() and not log.is_symlink() else None
    for seed, folder in folders.items():
        own = folder / OUTPUT
        own.mkdir(exist_ok=True)
        source = output / f"seed-{seed}"
        if source.is_dir() and not source.is_symlink():
            for file in source.iterdir():
                if file.is_file() and not file.is_symlink():
                    file.replace(own / file.name)
        if text is not None:
            (own / LOG).write_bytes(text)


def keep_output(folder: Path) -> None:
    """Move the trial's log, predictions, progress and checkpoint beside ``config.yaml``; only regular files move."""
    for name in (LOG, PREDICTIONS, "progress.jsonl", CHECKPOINT):
        source = folder / OUTPUT / name
        if source.is_file() and not source.is_symlink():
            source.replace(folder / name)


def write_results(
    folder: Path, *, metrics: Mapping[str, Any], boards: Mapping[str, Any], items: Mapping[str, Any]
) -> None:
    """Write items, board scores and, last, metrics."""
    for name, content in ((ITEMS, items), (BOARDS, boards), (METRICS, metrics)):
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=None if name == ITEMS else 2)
        atomic.write_text(folder / name, text + "\n")


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
