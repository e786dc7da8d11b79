"""Brings a change of code onto other code than it was made from: a merge of three trees, file by file."""

from __future__ import annotations

import shutil
from pathlib import Path

from auto_benchmark.artifacts.git import git
from auto_benchmark.artifacts.tree_store import changed_files, copy_plain


class MergeConflictError(Exception):
    """Both sides have changed the same place."""


def merge(base: Path, ours: Path, theirs: Path, target: Path) -> None:
    """Fill ``target`` with ``ours`` and, on top of it, what leads from ``base`` to ``theirs``.

    Args:
        base: the code that the change was made from.
        ours: the code that it is brought onto.
        theirs: the changed code.
        target: a folder that does not exist yet.

    Raises:
        MergeConflictError: a place that both have changed; names the files.
        GitError: git cannot be run.
    """
    target.mkdir(parents=True)
    copy_plain(ours, target)
    moved = set(changed_files(base, ours))
    conflicts = []
    for name in changed_files(base, theirs):
        if name not in moved:
            _take(theirs / name, target / name)
        elif not _is_same(theirs / name, ours / name) and not _merged(base / name, theirs / name, target / name):
            conflicts.append(name)
    if conflicts:
        raise MergeConflictError(", ".join(conflicts))


def _take(source: Path, target: Path) -> None:
    if not source.exists():
        target.unlink(missing_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


def _is_same(one: Path, other: Path) -> bool:
    if not one.exists() or not other.exists():
        return one.exists() == other.exists()
    return one.read_bytes() == other.read_bytes()


def _merged(base: Path, theirs: Path, target: Path) -> bool:
    """Merge one file in place; False where both sides have changed the same lines, or one has removed the file."""
    if not all(file.exists() for file in (base, theirs, target)):
        return False
    done = git(["merge-file", "-q", str(target), str(base), str(theirs)], target.parent)
    return done.returncode == 0
