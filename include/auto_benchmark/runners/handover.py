"""Gives a trial's user the directories that it may write, and takes back what it left there."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

OPEN_TO_OWNER = 0o700


def give(folder: Path, user: int | None) -> None:
    """Let ``user`` alone into an empty directory; without one it stays the runner's own."""
    folder.chmod(OPEN_TO_OWNER)
    if user is not None:
        os.chown(folder, user, user)


def take_back(folder: Path, user: int | None) -> None:
    """Make everything below the runner's own again, and every directory open to it. Nothing of the trial may run.

    Links are not followed, and what was not the trial's is left alone: it may be a second name of a foreign file.
    """
    for path, status in _everything(folder):
        if user is not None and status.st_uid == user:
            os.chown(path, os.geteuid(), os.getegid(), follow_symlinks=False)
        if stat.S_ISREG(status.st_mode) and status.st_uid in {user, os.geteuid()} and status.st_nlink == 1:
            Path(path).chmod(stat.S_IMODE(status.st_mode) & 0o777 | stat.S_IRUSR | stat.S_IWUSR)


def _everything(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Every entry, a directory before what is in it; directories are opened to their owner on the way.

    What lies too deep for a path is left out: nothing reads it either.
    """
    waiting = [str(folder)]
    while waiting:
        path = waiting.pop()
        try:
            status = os.lstat(path)
            yield path, status
            if stat.S_ISDIR(status.st_mode):
                if stat.S_IMODE(status.st_mode) & OPEN_TO_OWNER != OPEN_TO_OWNER:
                    Path(path).chmod(stat.S_IMODE(status.st_mode) | OPEN_TO_OWNER)
                waiting += [entry.path for entry in os.scandir(path)]
        except OSError:
            continue


def remove(folder: Path) -> None:
    """Remove a tree that a trial left, however deep it is; what cannot be removed stays."""
    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):
        take_back(folder, None)
        subprocess.run(["rm", "-rf", "--", str(folder)], check=False, capture_output=True)  # noqa: S603, S607
