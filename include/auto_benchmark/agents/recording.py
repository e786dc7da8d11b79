"""A recorded run of an agent: what each attempt left, as files that a person can read and ``replay`` takes.

``<n>.patch`` is the attempt's unified diff; ``<n>/`` holds the editable files whole where one of them is not text;
``<n>.json`` says how it ended and holds its calls of the measure command; ``choice`` is the agent's.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path

from auto_benchmark import atomic
from auto_benchmark.agents.agent import Turn
from auto_benchmark.agents.patch import PatchError, applied, unified
from auto_benchmark.agents.workspace import Files, write_files
from auto_benchmark.documents import storable

CHOICE = "choice"


def record(folder: Path, attempt: int, turn: Turn, before: Files, after: Files) -> str:
    """Write down one attempt; repeating it writes the same.

    Args:
        folder: of the recording.
        attempt: from 1.
        turn: how it ended.
        before: editable files at its start.
        after: editable files at its end.

    Returns:
        The patch.
    """
    folder.mkdir(parents=True, exist_ok=True)
    patch = unified(before, after)
    whole = folder / str(attempt)
    if whole.exists():
        shutil.rmtree(whole)
    if not _restores(before, patch, after):
        write_files(whole, after)
    atomic.write_text(folder / f"{attempt}.patch", patch)
    document = asdict(turn) | {"outcome": str(turn.outcome)}
    text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
    atomic.write_text(folder / f"{attempt}.json", storable(text))
    return patch


def record_choice(folder: Path, choice: str) -> None:
    """Write down which attempt the agent has chosen."""
    atomic.write_text(folder / CHOICE, choice)


def _restores(before: Files, patch: str, after: Files) -> bool:
    try:
        return (applied(before, patch) if patch else dict(before)) == dict(after)
    except PatchError:
        return False
