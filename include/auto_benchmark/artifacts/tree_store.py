"""Code that rows name: each tree lies under the checksum of its content, and is checked whenever it is asked for.

The copies are those that trials run, ``<root>/code/<tree>/<solution>/``. Nothing here follows a link: what a person or a
program proposes is regular files alone.
"""

from __future__ import annotations

import contextlib
import filecmp
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path, PurePosixPath

from auto_benchmark import trees
from auto_benchmark.artifacts.code_tree import CODE, code_tree, is_sound
from auto_benchmark.artifacts.fingerprint import SKIPPED, UnfitCodeError, folder_sha256, open_regular
from auto_benchmark.errors import AutoBenchmarkError, InputError

MOST_FILES = 2_000
MOST_BYTES = 64 * 2**20
DEEPEST = 16
"""Folders in each other. Agents' workspaces and imported archives hold as much, so that whatever is stored fits there."""


class CodeMissingError(AutoBenchmarkError):
    """A tree that a row names is not stored here, or was damaged."""


class UnfitTreeError(InputError):
    """A folder holds something that no stored tree may hold."""


def keep(folder: Path, root: Path) -> str:
    """Store a solution's folder as it is. Returns the tree's name.

    Raises:
        CodeChangedError: somebody changes the folder meanwhile.
    """
    tree = folder_sha256(folder)
    code_tree(folder, tree, root)
    return tree


@contextlib.contextmanager
def draft(name: str, root: Path) -> Iterator[Path]:
    """A place for code of the solution ``name`` that is about to be kept; the caller makes and fills it.

    What a killed process leaves lies among the copies that retention removes.
    """
    (root / CODE).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".draft-", dir=root / CODE, ignore_cleanup_errors=True) as aside:
        yield Path(aside) / name


def find(tree: str, name: str, root: Path) -> Path:
    """The stored copy of a tree of the solution ``name``.

    Raises:
        CodeMissingError: it is not there, or not as it was stored.
    """
    copy = root / CODE / tree / name
    if not copy.is_dir():
        raise CodeMissingError(f"the code {tree} of {name} is not stored here")
    if not is_sound(copy, tree):
        raise CodeMissingError(f"the stored code {tree} of {name} was damaged")
    return copy


def holds(tree: str, name: str, root: Path) -> bool:
    """Whether a tree is stored, undamaged."""
    copy = root / CODE / tree / name
    return bool(tree) and copy.is_dir() and is_sound(copy, tree)


def copy_plain(source: Path, target: Path) -> None:
    """Copy the regular files of a folder, without what Python and git keep for themselves.

    Raises:
        UnfitTreeError: it holds a link, a device, a socket or a pipe, a file of the kernel, or too much.
    """
    room = MOST_BYTES
    for number, (below, path) in enumerate(plain_files(source), 1):
        with _opened(below, path) as file:
            content = file.read(room + 1)
            executable = os.fstat(file.fileno()).st_mode & 0o100
        room -= len(content)
        if number > MOST_FILES or room < 0:
            raise UnfitTreeError(f"holds more than {MOST_FILES} files or {MOST_BYTES // 2**20} MiB")
        (target / below).parent.mkdir(parents=True, exist_ok=True)
        (target / below).write_bytes(content)
        (target / below).chmod(0o755 if executable else 0o644)


def _opened(name: PurePosixPath, path: Path) -> BufferedReader:
    try:
        return open_regular(path)
    except (OSError, UnfitCodeError) as error:
        raise UnfitTreeError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def require_bounds(folder: Path) -> None:
    """Refuse more than a stored tree may hold, however it came together. Raises UnfitTreeError."""
    if wrong := trees.excess(folder, most=MOST_FILES, deepest=DEEPEST):
        raise UnfitTreeError(f"holds too much: {wrong}")
    if sum(path.stat().st_size for _, path in plain_files(folder)) > MOST_BYTES:
        raise UnfitTreeError(f"holds more than {MOST_BYTES // 2**20} MiB")


def plain_files(folder: Path) -> Iterator[tuple[PurePosixPath, Path]]:
    """Every file below a folder: its name there, and where it lies. Raises UnfitTreeError."""
    waiting = [(PurePosixPath(), folder)]
    while waiting:
        below, place = waiting.pop()
        for own_name, kind in _kinds(below, place):
            name = below / own_name
            if not own_name.isprintable():
                raise UnfitTreeError(f"{str(name)!a} has a name that cannot be shown")
            if stat.S_ISDIR(kind):
                waiting.append((name, place / own_name))
            elif stat.S_ISREG(kind):
                yield name, place / own_name
            else:
                what = "a link" if stat.S_ISLNK(kind) else "not a regular file"
                raise UnfitTreeError(f"{name} is {what}; code is regular files alone")


def _kinds(name: PurePosixPath, folder: Path) -> list[tuple[str, int]]:
    """Names and modes of what lies in a folder; it may be closed, or vanish while it is looked at."""
    try:
        with os.scandir(folder) as entries:
            return sorted((e.name, e.stat(follow_symlinks=False).st_mode) for e in entries if e.name not in SKIPPED)
    except OSError as error:
        raise UnfitTreeError(f"{name} cannot be read: {error.strerror or error}") from None


def changed_files(before: Path, after: Path) -> list[str]:
    """Names of the files that only one of two folders of regular files has, or that differ; sorted."""
    return sorted(differing(plain_files(before), plain_files(after)))


def differing(before: Iterable[tuple[PurePosixPath, Path]], after: Iterable[tuple[PurePosixPath, Path]]) -> set[str]:
    """Names of the files that only one of two sides has, or whose contents differ."""
    sides = [{str(name): path for name, path in side} for side in (before, after)]
    common = sides[0].keys() & sides[1].keys()
    changed = {name for name in common if not filecmp.cmp(sides[0][name], sides[1][name], shallow=False)}
    return changed | (sides[0].keys() ^ sides[1].keys())
