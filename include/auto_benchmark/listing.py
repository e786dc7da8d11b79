"""Folders with a file each, as a list shows them: the one begun last first, and those that cannot be read by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from auto_benchmark.errors import InputError


def begun_last_first(files: Iterable[Path]) -> list[Path]:
    """The folders of files that were written when something began; by name where two began at once."""
    begun = [(-_begun(file), file.parent.as_posix(), file.parent) for file in files]
    return [folder for _, _, folder in sorted(begun)]


def read_each(
    names: Iterable[str], read: Callable[[str], dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """What ``read`` gives for each name, and ``{"folder", "fault"}`` of those for which it raises InputError."""
    found, faults = [], []
    for name in names:
        try:
            found.append(read(name))
        except InputError as error:
            faults.append({"folder": name, "fault": str(error)})
    return found, faults


def _begun(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:  # it goes away while others are looked at
        return 0.0
