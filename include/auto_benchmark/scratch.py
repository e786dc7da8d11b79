"""Scratch folders that do not outlive their process for long: the next one of a kind clears what a killed one left.

A folder is held by a lock that the kernel gives back when its process dies, in whatever container that was.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from auto_benchmark import trees

DRAWN = "?" * 8
"""What ``mkdtemp`` adds to a name: of the kinds ``lab`` and ``lab-run`` one is not the other's."""
SETTLED_S = 60.0
"""A younger folder may not have its lock yet."""


@contextlib.contextmanager
def scratch_folder(kind: str, within: Path | None = None) -> Iterator[Path]:
    """An empty folder of this process alone, removed in the end with whatever has been put there.

    Args:
        kind: what it is for, a part of its name.
        within: where it is made, hidden; the machine's temporary directory by default.
    """
    clear(kind, within)
    folder = Path(tempfile.mkdtemp(prefix=_prefix(kind, within), dir=within))
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield folder
    finally:
        trees.remove(folder)
        os.close(held)


def clear(kind: str, within: Path | None = None, *, settled_s: float = SETTLED_S) -> list[str]:
    """Remove the folders of a kind whose process is gone; returns their names."""
    gone = []
    for folder in (within or Path(tempfile.gettempdir())).glob(f"{_prefix(kind, within)}{DRAWN}"):
        with contextlib.suppress(OSError):
            held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if time.time() - os.fstat(held).st_ctime < settled_s:
                    continue
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if trees.remove(folder):
                    gone.append(folder.name)
            finally:
                os.close(held)
    return gone


def _prefix(kind: str, within: Path | None) -> str:
    """Of the names of a kind's folders; in a directory that is not for temporary files they are hidden."""
    return f"ab-{kind}-" if within is None else f".ab-{kind}-"
