"""Where a local trial writes while it runs: a directory whose path does not say what the trial is for.

The folder of a trial is named after its hypothesis, its purpose and its seed. A trial that could read that would know
whether it is a candidate or production's own measurement.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from pathlib import Path

from auto_benchmark import trees

RUNNING = ".running"
"""Below the home; no project's name begins with a dot."""
OPEN_TO_PASS = 0o711


@contextlib.contextmanager
def instead_of(output: Path, root: Path | None) -> Iterator[Path]:
    """An empty directory to write to; in the end it becomes ``output``, an empty directory until then.

    Args:
        output: of a trial's folder.
        root: where the system keeps its files. ``output`` itself is used where there is none, and where it lies in
            another file system, in a folder that a person has named.
    """
    if root is None:
        yield output
        return
    running = root / RUNNING
    running.mkdir(parents=True, exist_ok=True, mode=OPEN_TO_PASS)
    if running.stat().st_dev != output.stat().st_dev:
        yield output
        return
    place = running / secrets.token_hex(16)
    place.mkdir(mode=0o700)
    try:
        yield place
    finally:
        try:
            place.replace(output)
        except OSError:  # a worker that has taken the trial over was faster: its output stays
            trees.remove(place)


def left_behind(root: Path) -> Iterator[Path]:
    """Whatever lies under ``root`` of trials that run, or whose worker was killed."""
    with contextlib.suppress(FileNotFoundError):
        yield from sorted((root / RUNNING).iterdir())
