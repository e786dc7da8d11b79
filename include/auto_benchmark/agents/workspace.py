"""The files of a workspace, read as what they are: left there by a program that may be hostile, and may still run.

Every step down goes through a descriptor of its parent and follows no link, so that a folder which is exchanged for a
link between two looks leads nowhere.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from auto_benchmark import atomic, trees
from auto_benchmark.errors import InputError

OURS = ".ab"
"""The folder of the protocol in a workspace: the agent's choice, and its notes if it likes. It is never evaluated."""
SKIPPED = frozenset({"__pycache__", ".git"})
"""Never taken: Python would run what lies in the first instead of the source beside it."""
LONGEST_PART = 200
"""Bytes of a file's own name; file systems take 255, and a file is written under a longer name first."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class WorkspaceError(InputError):
    """The workspace holds too much, or a path leads out of it; the text says what."""


class File(NamedTuple):
    """A regular file."""

    content: bytes
    executable: bool = False


Files = Mapping[str, File]
"""Path in the workspace, with slashes -> file."""


@dataclass(frozen=True, slots=True)
class WorkspaceLimits:
    """The most that a workspace may hold.

    Attributes:
        files: and folders.
        bytes: of all files.
        depth: folders in each other.
    """

    files: int = 2_000
    bytes: int = 64 * 2**20
    depth: int = 16


EDITED = WorkspaceLimits()
NOTES = WorkspaceLimits(files=200, bytes=8 * 2**20)


@dataclass(slots=True)
class Found:
    """What a folder holds.

    Attributes:
        files: every regular file.
        refused: path -> why it was left out: a link, a device, a second name of another file.
    """

    files: dict[str, File] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def is_editable(name: str, editable: Sequence[str]) -> bool:
    """Whether a file is one of ``editable``, lies in a folder that is, or fits a pattern; ``.`` stands for everything."""
    parts = PurePosixPath(name).parts
    return any(
        fnmatchcase(name, pattern) if _is_pattern(pattern) else parts[: len(of.parts)] == of.parts
        for pattern, of in ((pattern, PurePosixPath(pattern)) for pattern in editable)
    )


def editable_files(folder: Path, editable: Sequence[str], *, inside: str = ".") -> Found:
    """The editable files of a workspace; whatever else lies there is not even looked at.

    Args:
        folder: the workspace.
        editable: files, folders, and patterns as of a shell, as the brief has them.
        inside: a folder of the workspace that is laid out as the workspace is.

    Raises:
        WorkspaceError: more than the bounds, or ``inside`` is not a folder of the workspace.
    """
    wanted = [PurePosixPath(path).parts for path in editable]
    has_patterns = any(map(_is_pattern, editable))

    def is_on_the_way(name: str) -> bool:
        parts = PurePosixPath(name).parts
        return has_patterns or any(parts[: len(of)] == of[: len(parts)] for of in wanted)

    found = _everything(folder, PurePosixPath(inside), EDITED, is_on_the_way)
    return Found(
        {name: file for name, file in found.files.items() if is_editable(name, editable)},
        {name: reason for name, reason in found.refused.items() if is_on_the_way(name)},
    )


def all_files(folder: Path, *, inside: str = ".", bounds: WorkspaceLimits = EDITED) -> Found:
    """Every regular file of a folder but those of :data:`OURS`.

    Raises:
        WorkspaceError: more than the bounds, or ``inside`` is no folder below ``folder``.
    """
    return _everything(folder, PurePosixPath(inside), bounds, lambda _: True)


def with_notes(folder: Path) -> dict[str, File]:
    """Every regular file of a workspace of ours, those of :data:`OURS` too. Raises WorkspaceError as above."""
    notes = all_files(folder, inside=OURS, bounds=NOTES).files if (folder / OURS).is_dir() else {}
    return {**all_files(folder).files, **{f"{OURS}/{name}": file for name, file in notes.items()}}


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
    """Make a folder hold exactly ``files``. Nothing else may write to it meanwhile.

    Raises:
        WorkspaceError: they cannot lie in one folder; it is as before.
    """
    if wrong := unfit_names(files):
        raise WorkspaceError(wrong)
    folder.mkdir(parents=True, exist_ok=True)
    kept = {parent.as_posix() for name in files for parent in PurePosixPath(name).parents}
    waiting = [folder]
    while waiting:
        for entry in sorted(waiting.pop().iterdir()):
            name = entry.relative_to(folder).as_posix()
            is_folder = entry.is_dir() and not entry.is_symlink()
            if is_folder and name in kept:
                waiting.append(entry)
            elif is_folder or name not in files:
                trees.remove(entry)
    for name, file in files.items():
        atomic.write_bytes(folder / name, file.content, mode=0o755 if file.executable else 0o644)


def unfit_names(names: Iterable[str]) -> str | None:
    """Why files of these names cannot lie in one folder; None where they can."""
    known = set(names)
    holders = {parent.as_posix() for name in known for parent in PurePosixPath(name).parents} & known
    if holders:
        return f"{min(holders)[:200]} is a file, and cannot hold others"
    parts = (part for name in known for part in PurePosixPath(name).parts)
    long = next((part for part in parts if len(os.fsencode(part)) > LONGEST_PART), None)
    return None if long is None else f"a name of more than {LONGEST_PART} bytes: {long[:80]}"


def _is_pattern(path: str) -> bool:
    return any(mark in path for mark in "*?[")


def _everything(top: Path, inside: PurePosixPath, bounds: WorkspaceLimits, is_wanted: Callable[[str], bool]) -> Found:
    found, entries, room = Found(), 0, bounds.bytes
    with _folder(top, inside) as held, contextlib.ExitStack() as open_folders:
        waiting = [(held, "")]
        while waiting:
            place, prefix = waiting.pop()
            for name in sorted(os.listdir(place)):  # noqa: PTH208 - by descriptor
                path = f"{prefix}{name}"
                if name in SKIPPED or path == OURS or not is_wanted(path):
                    continue
                entries += 1
                if entries > bounds.files:
                    raise WorkspaceError(f"more than {bounds.files} files and folders")
                try:
                    if stat.S_ISDIR(os.lstat(name, dir_fd=place).st_mode):
                        if path.count("/") >= bounds.depth:
                            raise WorkspaceError(f"more than {bounds.depth} folders lie in each other")
                        lower = os.open(name, _FOLDER, dir_fd=place)
                        open_folders.callback(os.close, lower)
                        waiting.append((lower, f"{path}/"))
                        continue
                    file = _read(name, place, room)
                except OSError as error:
                    file = f"cannot be read: {error.strerror}"
                if isinstance(file, str):
                    found.refused[path] = file
                else:
                    room -= len(file.content)
                    found.files[path] = file
    return found


@contextmanager
def _folder(top: Path, inside: PurePosixPath) -> Iterator[int]:
    """A descriptor of a folder below ``top``, reached without a link."""
    if inside.is_absolute() or ".." in inside.parts or "\0" in str(inside):
        raise WorkspaceError(f"{str(inside)[:200]!r} does not lie in the workspace")
    held = os.open(top, _FOLDER)
    try:
        for part in inside.parts:
            try:
                lower = os.open(part, _FOLDER, dir_fd=held)
            except OSError:
                raise WorkspaceError(f"{str(inside)[:200]!r} is not a folder of the workspace") from None
            os.close(held)
            held = lower
        yield held
    finally:
        os.close(held)


def _read(name: str, parent: int, most: int) -> File | str:
    """A regular file, or what is wrong with it. Raises OSError, and WorkspaceError where it is too large."""
    if not name.isprintable() or "\\" in name or '"' in name:
        return "a name with characters that no patch can hold"
    kind = os.lstat(name, dir_fd=parent).st_mode
    if not stat.S_ISREG(kind):
        return "a link" if stat.S_ISLNK(kind) else "not a regular file"
    descriptor = os.open(name, _FILE, dir_fd=parent)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            return "not a file of its own"
        content = file.read(most + 1) if status.st_size <= most else None
    if content is None or len(content) > most:  # it may grow while it is read
        raise WorkspaceError(f"{name[:200]}: too large; {most} bytes are left")
    return File(content, bool(status.st_mode & stat.S_IXUSR))
