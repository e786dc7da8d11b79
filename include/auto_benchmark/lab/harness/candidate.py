"""A candidate's files: copied out of its reach, bounded, built and run confined."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from . import confined, counter
from .languages import Build
from .limits import BUILDING, Limits
from .recount import recounted
from .steady_paths import steady_folder
from .wrong import Wrong

LARGEST_FILE = 4 << 20


class Candidate:
    """Files that a candidate may have edited, and a folder to build them in.

    Args:
        source: the candidate's folder. It is read once, no link is followed.
        editable: names of the files that count; others are not looked at.
        fixed: folder with the task's own files, which a candidate cannot replace.
        folder: scratch of the verifier.
        user: that everything of the candidate's runs as.

    Attributes:
        passed: checks that were passed, with what is said about each.
        recounts: how often the first input that is counted is counted again; ``counts`` holds every number.
    """

    def __init__(self, source: Path, editable: Sequence[str], fixed: Path, folder: Path, user: int | None) -> None:
        self.folder, self.editable, self.fixed, self.user = folder, editable, fixed, user
        self.files = folder / "files"
        self.built = folder / "built"
        self.passed: list[tuple[str, str]] = []
        self.recounts, self.counts = 0, list[int]()
        _copied(fixed, editable, source, self.files)

    def given(self) -> Candidate:
        """The task's own program as another candidate, to be counted on the same inputs."""
        folder = self.folder / "given"
        folder.mkdir(mode=0o755)
        return Candidate(self.fixed, self.editable, self.fixed, folder, self.user)

    def note(self, check: str, said: str = "") -> None:
        """Remember that a check was passed."""
        self.passed.append((check, said))

    def read(self, name: str) -> str:
        """The text of an editable file. Raises Wrong when it is not UTF-8."""
        try:
            return (self.files / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise Wrong(f"{name} is not UTF-8", "files") from None

    def build(self, recipe: Build) -> None:
        """Compile the files, confined. Raises Wrong, and MissingToolError."""
        recipe.tool()
        self.built.mkdir()
        for path in self.files.iterdir():
            shutil.copy(path, self.built / path.name)
        self._give(self.built)
        environment = dict(recipe.environment)
        for name in {"GOCACHE", "GOPATH"} & set(environment):
            environment[name] = str(self.built / environment[name])
        for line in recipe.compile():
            ended = confined.run(
                line, folder=self.built, limits=BUILDING, user=self.user, writes=True, readable=recipe.readable(),
                environment=environment,
            )  # fmt: skip
            if ended.stopped or ended.code:
                confined.require_room(self.folder)
                raise Wrong(f"does not compile: {ended.stopped or _first_error(ended.error)}", "build")
        self._keep(recipe)
        self.note("build")

    def _keep(self, recipe: Build) -> None:
        """Leave nothing for the run but what it needs, and nothing that it may change."""
        kept = steady_folder(self.folder, "run")
        for name in recipe.keeps:
            made = self.built / name
            if not stat.S_ISREG(os.lstat(made).st_mode if os.path.lexists(made) else 0):
                raise Wrong(f"building it leaves no {name}", "build")
            shutil.copyfile(made, kept / name)
            (kept / name).chmod(0o555)
        kept.chmod(0o555)
        shutil.rmtree(self.built, ignore_errors=True)
        self.built = kept

    def run(self, recipe: Build, stdin: bytes, limits: Limits, arguments: Sequence[str] = ()) -> bytes:
        """Run the built program without counting; returns its output. Raises Wrong."""
        ended = confined.run(
            [*recipe.start, *arguments], folder=self.built, limits=limits, user=self.user, stdin=stdin,
            readable=recipe.readable(),
        )  # fmt: skip
        counter.refuse_bad_end(ended)
        return ended.output

    def count(self, recipe: Build, stdin: bytes, limits: Limits, *, caches: bool) -> tuple[bytes, counter.Counts]:
        """Run the built program under the counter; returns output and counts. Raises Wrong."""
        counter.refuse_magic(self.built)

        def once() -> tuple[confined.Ended, counter.Counts]:
            return counter.count(
                recipe.start, folder=self.built, stdin=stdin, limits=limits, user=self.user, caches=caches,
                readable=recipe.readable(),
            )  # fmt: skip

        ended, counts = once()
        if self.recounts and not self.counts:
            self.counts = recounted(lambda: once()[1].with_misses, self.recounts)
        return ended.output, counts

    def _give(self, folder: Path) -> None:
        if self.user is not None:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, self.user, self.user)


@contextmanager
def opened(source: Path, editable: Sequence[str], fixed: Path) -> Iterator[Candidate]:
    """A candidate in a scratch folder that goes with it. Raises Wrong when its files are not what they should be."""
    with (
        confined.own_user() as user,
        tempfile.TemporaryDirectory(prefix="ab-lab-", ignore_cleanup_errors=True) as scratch,
    ):
        Path(scratch).chmod(0o755)
        yield Candidate(source, editable, fixed, Path(scratch), user)


def _copied(fixed: Path, editable: Sequence[str], source: Path, to: Path) -> None:
    """The task's own files, and the candidate's editable ones over them."""
    to.mkdir()
    for path in fixed.iterdir():
        if path.is_file() and path.name != "Dockerfile" and path.name not in editable:
            shutil.copyfile(path, to / path.name)
    for name in editable:
        (to / name).write_bytes(_content(source / name, name))


def _content(path: Path, name: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise Wrong(f"{name}: {error.strerror}", "files") from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_FILE:
        os.close(descriptor)
        raise Wrong(f"{name} is not a file of at most {LARGEST_FILE >> 20} MiB", "files")
    with os.fdopen(descriptor, "rb") as file:
        return file.read(LARGEST_FILE)


def _first_error(text: str) -> str:
    lines = text.splitlines()
    return next((line for line in lines if "error" in line), lines[0] if lines else "no message")[:300]
