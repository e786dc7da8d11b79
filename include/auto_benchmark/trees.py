"""Directory trees that somebody else has made, however deep, crowded or closed: looked through and removed.

Nothing here recurses or follows a link. ``os.walk`` and ``shutil.rmtree`` of Python 3.11 recurse, so that a trial which
nests a thousand folders ends its worker.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def excess(folder: Path, *, most: int, deepest: int) -> str | None:
    """What is wrong with a tree, in words; None when it is small, shallow and open.

    Args:
        folder: where to look; itself at depth 0.
        most: entries that it may hold in all.
        deepest: how many folders may lie in each other.
    """
    waiting, entries = [(str(folder), 0)], 0
    while waiting:
        place, depth = waiting.pop()
        if depth > deepest:
            return f"more than {deepest} folders lie in each other"
        try:
            with os.scandir(place) as found:
                for entry in found:
                    entries += 1
                    if entries > most:
                        return f"more than {most} files and folders"
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
        except OSError as error:
            return f"a folder that cannot be read ({error.strerror})"
    return None


def size_mb(folder: Path, *, most: int) -> float:
    """What a tree occupies on disk, MiB; infinite where it has more than ``most`` entries."""
    waiting, entries, blocks = [str(folder)], 0, 0
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as found:  # it may vanish while it is looked at
            for entry in found:
                entries += 1
                if entries > most:
                    return float("inf")
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                with contextlib.suppress(OSError):
                    blocks += entry.stat(follow_symlinks=False).st_blocks
    return blocks * 512 / 2**20


def remove(folder: Path) -> bool:
    """Remove a tree, or whatever else has its name; returns whether it is gone.

    Each folder below is first moved up beside the others, so that depth costs neither stack, descriptors nor a path
    that is too long. Closed folders are opened.
    """
    if folder.is_dir() and not folder.is_symlink():
        _allow(str(folder), None)
    try:
        top = os.open(folder, _FOLDER)
    except OSError:  # absent, or no folder
        with contextlib.suppress(OSError):
            folder.unlink()
        return not os.path.lexists(folder)
    try:
        while _emptied(top):
            pass
    finally:
        os.close(top)
    with contextlib.suppress(OSError):
        folder.rmdir()
    return not os.path.lexists(folder)


def make_way(folder: Path) -> None:
    """Free a name: remove what has it, or move it aside where that is refused. Raises OSError where nothing helps."""
    if not remove(folder):
        folder.rename(folder.with_name(f".{folder.name}-{secrets.token_hex(4)}"))


def _emptied(top: int) -> bool:
    """Remove the files in a folder and empty its folders into it; whether something changed and something is left."""
    changed = left = False
    for name in os.listdir(top):
        try:
            if not stat.S_ISDIR(os.lstat(name, dir_fd=top).st_mode):
                os.unlink(name, dir_fd=top)
                changed = True
                continue
            lifted = _lifted(name, top)
            os.rmdir(name, dir_fd=top)
            changed, left = True, left or lifted
        except OSError:
            left = True
    return changed and left


def _lifted(name: str, top: int) -> bool:
    """Move everything out of the folder ``name`` of ``top`` into ``top``; whether there was anything."""
    _allow(name, top)
    inner = os.open(name, _FOLDER, dir_fd=top)
    try:
        inside = os.listdir(inner)  # noqa: PTH208 - by descriptor
        for one in inside:
            if stat.S_ISDIR(os.lstat(one, dir_fd=inner).st_mode):
                _allow(one, inner)  # to move a folder changes its "..", which takes the right to write in it
                os.rename(one, secrets.token_hex(12), src_dir_fd=inner, dst_dir_fd=top)
            else:
                os.unlink(one, dir_fd=inner)
        return any(inside)
    finally:
        os.close(inner)


def _allow(name: str, parent: int | None) -> None:
    """Give the owner all rights over a folder; never over what a link of this name points to."""
    path_only = getattr(os, "O_PATH", None)
    if path_only is None:  # another system: no way to name a folder that may not be opened, but by its path
        with contextlib.suppress(OSError):
            os.chmod(name, 0o700, dir_fd=parent)
        return
    with contextlib.suppress(OSError):
        held = os.open(name, path_only | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
        try:
            os.chmod(f"/proc/self/fd/{held}", 0o700)  # noqa: PTH101
        finally:
            os.close(held)
