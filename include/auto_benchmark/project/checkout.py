"""Writes a promoted change into the git checkout that the solution's folder lies in: as a branch, or as a commit on it.

Objects and refs are written directly, so that no hook and no filter of the repository runs. Nothing is ever pushed, and
nothing that people have changed in these files is overwritten. Each step may be repeated after a kill.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from auto_benchmark import atomic
from auto_benchmark.artifacts.git import git
from auto_benchmark.artifacts.tree_store import changed_files
from auto_benchmark.errors import AutoBenchmarkError

WHO = {"GIT_AUTHOR_NAME": "Auto Benchmark", "GIT_AUTHOR_EMAIL": "auto-benchmark@localhost"}
WHO |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in WHO.items()}


class CheckoutError(AutoBenchmarkError):
    """The change cannot be written into the checkout, for a stated reason."""


def how_to_apply(patch: Path, folder: Path) -> str:
    """The command that applies a patch of a folder's files there, wherever it is typed.

    In a checkout it has to say where the folder lies: called inside of it, git takes the patch's names as the checkout's,
    and passes them by without a word.
    """
    prefix = _asked(folder, "rev-parse", "--show-prefix")
    top = _asked(folder, "rev-parse", "--show-toplevel")
    where = ["-C", top, "apply", f"--directory={prefix}"] if prefix and top else ["-C", str(folder), "apply"]
    return shlex.join(["git", *where, str(patch)])


@dataclass(frozen=True, slots=True)
class Checkout:
    """The solution's folder in its repository.

    Attributes:
        folder: it.
        prefix: where it lies in the repository; ends in a slash, or is empty.
        head: the commit that is checked out.
    """

    folder: Path
    prefix: str
    head: str

    @classmethod
    def of(cls, folder: Path) -> Checkout:
        """The checkout around a folder. Raises CheckoutError where there is none, or no commit in it."""
        prefix, head = (_asked(folder, *words) for words in (["rev-parse", "--show-prefix"], ["rev-parse", "HEAD"]))
        if prefix is None or not head:
            raise CheckoutError("the solution's folder is in no git checkout with a commit")
        return cls(folder, prefix, head)

    def branch(self, name: str, before: Path, after: Path, message: str) -> str:
        """Make a branch of the checked-out commit with the change on top. Returns what was done, in words."""
        ref = f"refs/heads/{name}"
        if _asked(self.folder, "rev-parse", "--verify", "--quiet", ref):
            return f"the branch {name} holds it"
        self._require_unchanged(before, after)
        self._told("update-ref", ref, self._commit(before, after, message), "0" * len(self.head))
        return f"the branch {name} holds it"

    def commit(self, before: Path, after: Path, message: str) -> str:
        """Commit the change on the checked-out branch and write its files. Returns what was done, in words."""
        files = changed_files(before, after)
        if not all(self._in_head(file) == _content(after / file) for file in files):
            self._require_unchanged(before, after)
            if any(_content(self.folder / file) != _content(before / file) for file in files):
                raise CheckoutError("the folder has edits in these files that are not committed")
            made = self._commit(before, after, message)
            self._told("update-ref", "-m", message.splitlines()[0], "HEAD", made, self.head)
        for file in files:
            if _content(self.folder / file) == _content(before / file):
                _write(after / file, self.folder / file)
        self._stage(files, after, None)
        return "it is committed on the checked-out branch"

    def _require_unchanged(self, before: Path, after: Path) -> None:
        moved = [f for f in changed_files(before, after) if self._in_head(f) != _content(before / f)]
        if moved:
            raise CheckoutError(f"the checked-out commit has other content in {', '.join(moved[:5])}")

    def _in_head(self, file: str) -> bytes | None:
        """A file's content in the checked-out commit; None where it is absent."""
        found = git(["cat-file", "blob", f"HEAD:{self.prefix}{file}"], self.folder, more=ABOVE)
        return found.stdout if found.returncode == 0 else None

    def _commit(self, before: Path, after: Path, message: str) -> str:
        with tempfile.TemporaryDirectory(prefix="ab-index-") as scratch:
            index = Path(scratch) / "index"
            self._told("read-tree", self.head, more={"GIT_INDEX_FILE": str(index)})
            self._stage(changed_files(before, after), after, index)
            tree = self._told("write-tree", more={"GIT_INDEX_FILE": str(index)})
        return self._told("commit-tree", tree, "-p", self.head, given=message.encode())

    def _stage(self, files: list[str], after: Path, index: Path | None) -> None:
        """Put files as they are in ``after`` into an index; the checkout's own where None is given.

        git looks at the other files of a work tree through the repository's filters, so it is shown an empty one.
        """
        with tempfile.TemporaryDirectory(prefix="ab-empty-") as empty:
            where = {"GIT_DIR": self._told("rev-parse", "--absolute-git-dir"), "GIT_WORK_TREE": empty}
            where |= {"GIT_INDEX_FILE": str(index)} if index else {}
            for file in files:
                content, name = _content(after / file), f"{self.prefix}{file}"
                if content is None:
                    self._told("update-index", "--force-remove", "--", name, at=Path(empty), more=where)
                    continue
                blob = self._told("hash-object", "-w", "-t", "blob", "--no-filters", "--stdin", given=content)
                entry = f"{'100755' if (after / file).stat().st_mode & 0o100 else '100644'},{blob},{name}"
                self._told("update-index", "--add", "--cacheinfo", entry, at=Path(empty), more=where)

    def _told(
        self, *words: str, given: bytes = b"", at: Path | None = None, more: Mapping[str, str] | None = None
    ) -> str:
        done = git(words, at or self.folder, given, more=ABOVE | WHO | dict(more or {}))
        if done.returncode != 0:
            raise CheckoutError(f"git {words[0]}: {done.stderr.decode('utf-8', 'replace').strip()[:300]}")
        return done.stdout.decode().strip()


ABOVE = {"GIT_CEILING_DIRECTORIES": ""}
"""The repository may begin above the folder."""


def _asked(folder: Path, *words: str) -> str | None:
    """What git answers; None where it refuses."""
    done = git(words, folder, more=ABOVE)
    return done.stdout.decode().strip() if done.returncode == 0 else None


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() and not file.is_symlink() else None


def _write(source: Path, target: Path) -> None:
    if not source.exists():
        target.unlink(missing_ok=True)
        return
    atomic.write_bytes(target, source.read_bytes(), mode=source.stat().st_mode & 0o777)
