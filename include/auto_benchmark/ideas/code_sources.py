"""Brings the code that a person names into a copy of production's: nothing is run, and no link is followed.

git reads patches and objects here; it is given no configuration of the user's, and none of a repository's filters run.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path, PurePosixPath

from auto_benchmark import trees
from auto_benchmark.artifacts.git import git
from auto_benchmark.artifacts.tree_store import MOST_BYTES, MOST_FILES, UnfitTreeError, copy_plain
from auto_benchmark.ideas.code_form import CodeForm, GitForm
from auto_benchmark.project.solution_code import DECLARATION
from auto_benchmark.registry.solution import NEVER_EDITED

LARGEST_PATCH_BYTES = 4 * 2**20


def bring(form: CodeForm, beside: Path, target: Path, live: Path) -> None:
    """Change ``target``, a copy of production's code, as ``form`` says.

    Args:
        form: what a person has named.
        beside: the folder that relative paths start from.
        target: the copy.
        live: the solution's folder; a copy of it that a person hands in may hold what only the operator changes.

    Raises:
        UnfitTreeError: it cannot be had, does not apply, or holds what no code may hold; with the reason.
    """
    try:
        if form.folder is not None:
            _from_folder(beside / form.folder, target, live)
        elif form.diff is not None:
            _apply(beside / form.diff, target)
        elif form.git is not None:
            _from_git(form.git, beside, target, live)
    except OSError as error:  # a path that is too long, a folder that is closed
        raise UnfitTreeError(f"cannot be read: {error.strerror or error}") from None


def _from_folder(source: Path, target: Path, live: Path) -> None:
    if source.is_symlink() or not source.is_dir():
        raise UnfitTreeError(f"there is no folder {source}")
    if (source / DECLARATION).is_file():
        _replace(source, target, live)
    else:
        copy_plain(source, target)


def _replace(source: Path, target: Path, live: Path) -> None:
    """Make ``target`` what ``source`` is, but for what the operator has changed in the folder that it was copied from."""
    kept = target.with_name("kept")
    target.rename(kept)
    target.mkdir()
    copy_plain(source, target)
    for name in NEVER_EDITED:
        if _content(target / name) == _content(live / name):
            (target / name).unlink(missing_ok=True)
            if (kept / name).is_file():
                shutil.copy2(kept / name, target / name)
    trees.remove(kept)


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() and not file.is_symlink() else None


def _apply(patch: Path, target: Path) -> None:
    if patch.is_symlink() or not patch.is_file():
        what = "is not a regular file" if os.path.lexists(patch) else "is not there"
        raise UnfitTreeError(f"{patch} {what}")
    if patch.stat().st_size > LARGEST_PATCH_BYTES:
        raise UnfitTreeError(f"{patch.name} is larger than {LARGEST_PATCH_BYTES // 2**20} MiB")
    content = patch.read_bytes()
    strip = _leading(content, target.name)
    said = git(["apply", f"-p{strip}", "--whitespace=nowarn", "-"], target, content)
    if said.returncode != 0:
        words = [line.removeprefix("error: ") for line in said.stderr.decode("utf-8", "replace").splitlines()]
        reason = "; ".join(words[:4]) or "git refuses it"
        raise UnfitTreeError(f"{patch.name} does not apply to production's code: {reason}")


def _leading(patch: bytes, name: str) -> int:
    """How many leading parts of the patch's names go: those up to the solution's folder, or git's ``a/`` and ``b/``."""
    for line in patch.splitlines():
        if line.startswith((b"--- ", b"+++ ")) and not line.endswith(b"/dev/null"):
            parts = PurePosixPath(line[4:].decode("utf-8", "replace").split("\t")[0].strip().strip('"')).parts
            if name in parts[:-1]:
                return len(parts) - parts[::-1].index(name)
            return 1 if parts and parts[0] in {"a", "b"} else 0
    return 1


def _from_git(form: GitForm, beside: Path, target: Path, live: Path) -> None:
    if "://" in form.repo.removeprefix("file://") or "@" in form.repo.partition("/")[0]:
        raise UnfitTreeError("repo should be a clone on this machine: nothing is fetched from elsewhere")
    repo = beside / form.repo.removeprefix("file://")
    if not repo.is_dir():
        raise UnfitTreeError(f"there is no folder {repo}")
    if form.ref.startswith("-") or ":" in form.ref or not form.ref.isprintable():
        raise UnfitTreeError(f"{form.ref!r} is not the name of a branch, tag or commit")
    commit = _told(["rev-parse", "--verify", "--quiet", f"{form.ref}^{{commit}}"], repo).strip().decode()
    if not commit:
        raise UnfitTreeError(f"{form.repo} has no commit {form.ref!r}")
    entries = _entries(_told(["ls-tree", "-r", "-z", "--full-tree", commit], repo), target.name)
    if len(entries) > MOST_FILES:
        raise UnfitTreeError(f"holds more than {MOST_FILES} files")
    source = target.with_name("from-git") / target.name
    size = 0
    for mode, blob, name in entries:
        if mode not in {"100644", "100755"}:
            raise UnfitTreeError(f"{name} is a link or a submodule; code is regular files alone")
        content = _told(["cat-file", "blob", blob], repo)
        size += len(content)
        if size > MOST_BYTES:
            raise UnfitTreeError(f"holds more than {MOST_BYTES // 2**20} MiB")
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(content)
        (source / name).chmod(0o755 if mode == "100755" else 0o644)
    _replace(source, target, live)
    trees.remove(source.parent)


def _entries(listing: bytes, solution: str) -> list[tuple[str, str, str]]:
    """(mode, blob, name below the solution's folder) of a commit's files in that folder, wherever it lies in it."""
    rows = []
    for row in filter(None, listing.split(b"\0")):
        facts, _, name = row.decode("utf-8", "surrogateescape").partition("\t")
        mode, _, blob = facts.split(" ")
        rows.append((mode, blob, name))
    homes = [
        PurePosixPath(name).parent
        for _, _, name in rows
        if PurePosixPath(name).name == DECLARATION and PurePosixPath(name).parent.name in {solution, ""}
    ]
    home = next((each for each in homes if each.name == solution), homes[0] if homes else None)
    if home is None:
        raise UnfitTreeError(f"the commit has no folder {solution!r} with a {DECLARATION}")
    return [
        (mode, blob, str(PurePosixPath(name).relative_to(home)))
        for mode, blob, name in rows
        if PurePosixPath(name).is_relative_to(home) and ".git" not in PurePosixPath(name).parts
    ]


def _told(arguments: list[str], repo: Path) -> bytes:
    return git(arguments, repo).stdout
