"""The files of a workspace, read as what they are: left there by a program that may be hostile, and may still run.

Every step down goes through a descriptor of its parent and follows no link, so that a folder which is exchanged for a
link between two looks leads nowhere.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from auto_benchmark import atomic, trees
from auto_benchmark.errors import InputError

OURS = ".ab"
"""The folder of the protocol: brief, measure command, the agent's choice; its notes, if it likes."""
MOST_FILES, DEEPEST, MOST_BYTES, LARGEST_FILE = 2_000, 16, 64 * 2**20, 16 * 2**20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class WorkspaceError(InputError):
    """The workspace holds too much, or something that is no file; the text says what."""


class File(NamedTuple):
    """A regular file."""

    content: bytes
    executable: bool = False


Files = Mapping[str, File]
"""Path in the workspace, with slashes -> file."""


@dataclass(slots=True)
class Found:
    """What a folder holds.

    Attributes:
        files: every regular file.
        refused: path -> why it was left out: a link, a device, a second name of another file.
    """

    files: dict[str, File] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def is_editable(name: str, editable: Iterable[str]) -> bool:
    """Whether a file is one of ``editable``, or lies in a folder that is."""
    parts = PurePosixPath(name).parts
    return any(parts[: len(of.parts)] == of.parts for of in map(PurePosixPath, editable) if of.parts)


def editable_files(folder: Path, editable: Iterable[str], *, inside: str = ".") -> Found:
    """The editable files of a folder; every other file is left out without a word, links among them with one.

    Args:
        folder: the workspace.
        editable: files and folders, as the brief has them.
        inside: a folder of the workspace that holds the files, laid out as the workspace is.

    Raises:
        WorkspaceError: more than the bounds, or ``inside`` is no folder of the workspace.
    """
    wanted = tuple(editable)
    found = read_files(folder, inside=inside)
    return Found(
        {name: file for name, file in found.files.items() if is_editable(name, wanted)},
        {name: reason for name, reason in found.refused.items() if is_editable(name, wanted)},
    )


def read_files(folder: Path, *, inside: str = ".") -> Found:
    """Every regular file of a folder but those of :data:`OURS`.

    Raises:
        WorkspaceError: more than the bounds, or ``inside`` is no folder below ``folder``.
    """
    found, room = Found(), MOST_BYTES
    entries = 0
    with _folder(folder, PurePosixPath(inside)) as top:
        waiting = [(os.dup(top), "", 0)]
        try:
            while waiting:
                descriptor, prefix, depth = waiting.pop()
                try:
                    for name in sorted(os.listdir(descriptor)):  # noqa: PTH208 - by descriptor
                        entries += 1
                        if entries > MOST_FILES:
                            raise WorkspaceError(f"more than {MOST_FILES} files and folders")
                        if not prefix and name == OURS:
                            continue
                        path = f"{prefix}{name}"
                        try:
                            kind = os.lstat(name, dir_fd=descriptor).st_mode
                            if stat.S_ISDIR(kind):
                                if depth >= DEEPEST:
                                    raise WorkspaceError(f"more than {DEEPEST} folders lie in each other")
                                waiting.append((os.open(name, _FOLDER, dir_fd=descriptor), f"{path}/", depth + 1))
                                continue
                            file = _read(name, descriptor, min(room, LARGEST_FILE))
                        except OSError as error:
                            found.refused[path] = f"cannot be read: {error.strerror}"
                            continue
                        if isinstance(file, str):
                            found.refused[path] = file
                            continue
                        room -= len(file.content)
                        found.files[path] = file
                finally:
                    os.close(descriptor)
        finally:
            for descriptor, _, _ in waiting:
                os.close(descriptor)
    return found


def read_small(folder: Path, name: str, *, most: int) -> str | None:
    """The text of a small file; None where there is none, or where it is a link, too large or no text."""
    path = PurePosixPath(name)
    try:
        with _folder(folder, path.parent) as parent:
            file = _read(path.name, parent, most)
        return None if isinstance(file, str) else file.content.decode()
    except (OSError, UnicodeDecodeError, WorkspaceError):
        return None


def write_files(folder: Path, files: Files) -> None:
    """Make ``folder`` hold exactly ``files``, besides :data:`OURS`. Nothing else may write to it meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    for entry in sorted(folder.iterdir()):
        if entry.name != OURS and not any(name.split("/", 1)[0] == entry.name for name in files):
            trees.remove(entry)
    for place in [path for path in folder.rglob("*") if path.relative_to(folder).parts[0] != OURS]:
        name = place.relative_to(folder).as_posix()
        if (place.is_symlink() or not place.is_dir()) and name not in files:
            trees.remove(place)
    for name, file in files.items():
        target = folder / name
        if target.is_dir() and not target.is_symlink():
            trees.remove(target)
        atomic.write_bytes(target, file.content, mode=0o755 if file.executable else 0o644)


@contextmanager
def _folder(top: Path, inside: PurePosixPath) -> Iterator[int]:
    """A descriptor of a folder below ``top``, reached without a link."""
    if inside.is_absolute() or ".." in inside.parts:
        raise WorkspaceError(f"{str(inside)[:200]!r} does not lie in the workspace")
    held = os.open(top, _FOLDER)
    try:
        for part in inside.parts:
            try:
                lower = os.open(part, _FOLDER, dir_fd=held)
            except OSError:
                raise WorkspaceError(f"{str(inside)[:200]!r} is no folder of the workspace") from None
            os.close(held)
            held = lower
        yield held
    finally:
        os.close(held)


def _read(name: str, parent: int, most: int) -> File | str:
    """A regular file, or what is wrong with it."""
    status = os.lstat(name, dir_fd=parent)
    if not stat.S_ISREG(status.st_mode):
        return "a link" if stat.S_ISLNK(status.st_mode) else "no regular file"
    descriptor = os.open(name, _FILE, dir_fd=parent)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            return "not a file of its own"
        content = file.read(most + 1)
    if len(content) > most:
        raise WorkspaceError(f"{name[:200]!r}: more than {most} bytes")
    return File(content, bool(status.st_mode & stat.S_IXUSR))
