"""Where an archive is unpacked before anything counts, and how its files and its rows become one step.

Files are unpacked into a folder beside the projects' homes, ``.import-<token>``. When everything has been checked the
folder with the files is renamed to the project's home, inside of the transaction that inserts the rows; the commit is
what decides. After it, or after anything else, :func:`settle` brings files and rows into agreement: it asks whether
the rows of ``token`` are there. The next import settles what a killed one has left.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import uuid
from contextlib import AbstractContextManager
from pathlib import Path, PurePosixPath

from auto_benchmark import atomic
from auto_benchmark.artifacts.export_archive import ArchiveReader, Member
from auto_benchmark.artifacts.folder_lock import locked
from auto_benchmark.errors import RefusedError

PREFIX, LOCK, HOME, ROWS, CODE, TARGET = ".import-", ".import.lock", "home", "tables", "code", "target"


class ImportStage:
    """The folder of one import.

    Attributes:
        token: cannot be known in advance; the rows carry it too.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.token = path.name.removeprefix(PREFIX)
        self.home, self.rows, self.code = path / HOME, path / ROWS, path / CODE

    @classmethod
    def new(cls, root: Path) -> ImportStage:
        """An empty one below ``root``, the home of all projects."""
        stage = cls(root / f"{PREFIX}{uuid.uuid4().hex}")
        stage.path.mkdir(mode=0o700)
        stage.home.mkdir()
        stage.rows.mkdir()
        return stage

    def add_rows(self, table: str, reader: ArchiveReader) -> None:
        """Unpack the rows of one table."""
        _write(self.rows / f"{table}.jsonl", reader)

    def add_file(self, path: PurePosixPath, member: Member, reader: ArchiveReader, *, now: float) -> None:
        """Unpack a file of the home: with the rights that files have here, and its age, by which retention goes."""
        target = self.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        _write(target, reader)
        changed_at = min(max(member.changed_at, 0.0), now)
        os.utime(target, (changed_at, changed_at))

    def add_code(self, path: PurePosixPath, reader: ArchiveReader, *, executable: bool) -> None:
        """Unpack a file of a stored tree."""
        target = self.code / path
        target.parent.mkdir(parents=True, exist_ok=True)
        _write(target, reader)
        target.chmod(0o755 if executable else 0o644)

    def place(self, home: Path) -> None:
        """Move the files to ``home``, once it is written down which they are.

        Raises:
            RefusedError: something lies there.
        """
        files = {str(p.relative_to(self.home)): p.lstat().st_ino for p in self.home.rglob("*") if p.is_file()}
        atomic.write_text(self.path / TARGET, json.dumps({"project": home.name, "files": files}))
        try:
            self.home.rename(home)  # an empty folder may be there
        except OSError as error:
            raise RefusedError(f"{home} cannot be put in place: {error.strerror}") from None
        _sync(home.parent)

    def drop(self) -> None:
        """Remove the folder and what is left in it."""
        shutil.rmtree(self.path, ignore_errors=True)


def one_import(root: Path) -> AbstractContextManager[None]:
    """Hold the right to import into ``root``, as :func:`~auto_benchmark.artifacts.folder_lock.locked` does."""
    return locked(root, LOCK, taken=f"another import into {root} is running", mode=0o600)


def left_in(root: Path) -> list[ImportStage]:
    """Stages of imports that are over, whatever ended them; call it under :func:`one_import`."""
    found = [path for path in root.iterdir() if re.fullmatch(re.escape(PREFIX) + "[0-9a-f]{32}", path.name)]
    return [ImportStage(path) for path in sorted(found) if path.is_dir() and not path.is_symlink()]


def settle(stage: ImportStage, root: Path, *, committed: bool) -> None:
    """Finish or undo what an import has done to the files; doing it twice changes nothing.

    Args:
        stage: of the import.
        root: the home of all projects.
        committed: whether the import's rows are in the database.
    """
    target = stage.path / TARGET
    if not committed and target.exists() and not stage.home.exists():
        placed = json.loads(target.read_text(encoding="utf-8"))
        _take_back(root / placed["project"], placed["files"])
    stage.drop()


def _take_back(home: Path, files: dict[str, int]) -> None:
    """Remove the files that an import has put there, not those that somebody has written since."""
    for name, inode in files.items():
        with contextlib.suppress(FileNotFoundError):
            if (home / name).lstat().st_ino == inode:
                (home / name).unlink()
    folders = sorted((p for p in home.rglob("*") if p.is_dir() and not p.is_symlink()), reverse=True)
    for folder in [*folders, home]:
        with contextlib.suppress(OSError):
            folder.rmdir()  # only where it is empty


def _write(target: Path, reader: ArchiveReader) -> None:
    with target.open("xb") as file:
        for piece in reader.content():
            file.write(piece)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
