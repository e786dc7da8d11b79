"""Dump and restore of a project: one archive with its rows and its files.

An archive is text from outside. It is unpacked aside and checked in full, then rows and files are put in place in one
step (:mod:`auto_benchmark.artifacts.import_stage`).
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import tarfile
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import IO, Any

from sqlalchemy.orm import Session, sessionmaker

from auto_benchmark import __version__
from auto_benchmark.artifacts import home_files, import_stage
from auto_benchmark.artifacts.code_tree import CODE
from auto_benchmark.artifacts.export_archive import MB, ArchiveLimits, ArchiveReader, opened
from auto_benchmark.artifacts.fingerprint import open_regular
from auto_benchmark.artifacts.import_stage import ImportStage
from auto_benchmark.db import transfer
from auto_benchmark.db.repositories import code_trees, projects, records
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.kinds import LogKind
from auto_benchmark.project import transfer_code
from auto_benchmark.project.transfer_code import IncomingCode
from auto_benchmark.registry.names import project_name
from auto_benchmark.settings import Settings

FORMAT = 1
MANIFEST = "manifest.json"
FILES = "files"


def export_project(
    settings: Settings, sessions: sessionmaker[Session], project: str, archive: Path
) -> dict[str, Any]:
    """Write everything of ``project`` into one ``.tar.gz``, aside first.

    Returns:
        ``{"project", "rows": {table: n}, "files": n, "code": n}``, the last of trees.

    Raises:
        InputError: when the database has no such project, or the archive cannot be written.
    """
    home = settings.project_home(project_name(project))
    name = _aside(archive)
    try:
        with sessions() as session, tarfile.open(name, "w:gz") as tar:
            session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            if project not in projects.names(session=session):
                raise InputError(f"the database has no project {project!r}")
            rows = {
                table.name: _add_lines(
                    tar, f"{transfer.FOLDER}/{table.name}.jsonl",
                    transfer.rows_of(table, session=session, project=project),
                )
                for table in transfer.tables()
            }  # fmt: skip
            trees = code_trees.in_use(session=session, project=project)
            told = {
                "project": project, "rows": rows, "files": _add_home(tar, home),
                "code": _add_code(tar, settings.root, trees),
            }  # fmt: skip
            manifest = json.dumps({"format": FORMAT, "version": __version__, **told}, indent=1)
            _add(tar, MANIFEST, io.BytesIO(manifest.encode()), time.time())
        Path(name).replace(archive)
    except OSError as error:
        raise InputError(f"{archive}: cannot be written: {error}") from None
    finally:
        Path(name).unlink(missing_ok=True)
    return told


def _aside(archive: Path) -> str:
    """A new file beside ``archive``. Raises InputError where the archive could not be written."""
    if archive.is_dir():
        raise InputError(f"{archive}: is a directory; name the .tar.gz to write")
    try:
        archive.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=archive.parent, prefix=f".{archive.name}.")
    except OSError as error:
        raise InputError(f"{archive}: cannot be written: {error.strerror or error}") from None
    os.close(descriptor)
    return name


def _add_lines(tar: tarfile.TarFile, name: str, lines: Iterable[str]) -> int:
    count = 0
    with tempfile.TemporaryFile() as file:
        for count, line in enumerate(lines, 1):  # noqa: B007 - the last number counts
            file.write(f"{line}\n".encode())
        _add(tar, name, file, time.time())
    return count


def _add(tar: tarfile.TarFile, name: str, file: IO[bytes], changed_at: float, *, executable: bool = False) -> None:
    """Add a file with its name, size and age; owner and the like do not matter elsewhere."""
    info = tarfile.TarInfo(name)
    info.mode = 0o755 if executable else 0o644
    info.size, info.mtime = file.seek(0, os.SEEK_END), int(changed_at)
    file.seek(0)
    tar.addfile(info, file)


def _add_home(tar: tarfile.TarFile, home: Path) -> int:
    """Add the files that travel; others, and names that could not be read back, stay where they are."""
    count = 0
    for path in sorted(home.rglob("*")):
        relative = PurePosixPath(path.relative_to(home).as_posix())
        if path.is_symlink() or not path.is_file() or not _may_travel(relative):
            continue
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            continue  # a trial or a cycle goes on meanwhile
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode):
                _add(tar, f"{FILES}/{relative}", file, status.st_mtime)
                count += 1
    return count


def _add_code(tar: tarfile.TarFile, root: Path, trees: set[str]) -> int:
    """Add the stored code that the project's rows name; the number of trees."""
    added = set()
    for name, path in transfer_code.stored(root, trees):
        with open_regular(path) as file:
            status = os.fstat(file.fileno())
            _add(tar, name, file, status.st_mtime, executable=bool(status.st_mode & 0o100))
            added.add(name.split("/")[1])
    return len(added)


def _may_travel(path: PurePosixPath) -> bool:
    try:
        return home_files.travels(home_files.path_of(str(path)))
    except RefusedError:
        return False


def import_project(
    settings: Settings, sessions: sessionmaker[Session], archive: Path, *, with_code: bool = False
) -> dict[str, Any]:
    """Restore a project under new ids: its rows and its files in one step, or nothing.

    Nothing of it acts by itself afterwards (:mod:`auto_benchmark.db.at_rest`). An import that was killed is undone or
    finished by the next one; asked again for an archive that the killed one had committed, it says so.

    Args:
        settings: name the home.
        sessions: of the database.
        archive: to be read.
        with_code: take in the programs that it holds, too; they are left out otherwise.

    Returns:
        ``{"project", "rows": {table: n}, "files": n, "code": n}``, the last of trees.

    Raises:
        InputError: when the file is not an export of this program.
        RefusedError: it holds what an archive may not hold, or the project or its files are there already.
    """
    root = settings.root
    with import_stage.one_import(root):
        finished = [told for stage in import_stage.left_in(root) if (told := _settle(sessions, root, stage))]
        digest = _sha256(archive)
        for told in finished:
            if told["archive_sha256"] == digest:
                return {name: told.get(name, 0) for name in ("project", "rows", "files", "code")}
        stage = ImportStage.new(root)
        try:
            return _import(settings, sessions, archive, digest, IncomingCode(stage, with_code))
        finally:
            _settle(sessions, root, stage)


def _import(
    settings: Settings, sessions: sessionmaker[Session], archive: Path, digest: str, code: IncomingCode
) -> dict[str, Any]:
    limits, stage = ArchiveLimits.of(settings), code.stage
    try:
        manifest = _unpack(archive, limits, code)
    except OSError as error:
        raise InputError(f"{settings.root}: {archive} cannot be unpacked there: {error.strerror or error}") from None
    project = manifest["project"]
    home = settings.project_home(project)
    if home.is_symlink() or (home.exists() and not (home.is_dir() and not any(home.iterdir()))):
        raise RefusedError(f"{home} holds files already; move them away first")
    rows = transfer.Rows(stage.rows, project, limits.line)
    counts = rows.check()
    if "rows" in manifest and manifest["rows"] != {name: counts.get(name) for name in manifest["rows"]}:
        raise RefusedError(f"{archive}: holds other numbers of rows than its manifest says")
    told = {
        "project": project, "rows": counts, "files": _without_forged_results(stage, rows.results),
        "code": len(code.trees),
    }  # fmt: skip
    with sessions.begin() as session:
        if project in projects.names(session=session):
            raise RefusedError(f"the database holds a project {project!r} already")
        rows.insert(session=session)
        records.log(
            session=session, project=project, key=f"{LogKind.IMPORT}/{stage.token}", kind=LogKind.IMPORT,
            subject=project, now=rows.moment,
            reason=f"imported: {sum(counts.values())} rows and {told['files']} files under new ids",
            inputs={"archive_sha256": digest, "version": str(manifest.get("version", ""))[:40], **told},
        )  # fmt: skip
        session.flush()
        code.check(code_trees.in_use(session=session, project=project))
        code.place(settings.root)
        stage.place(home)
    return told


def _unpack(archive: Path, limits: ArchiveLimits, code: IncomingCode) -> Mapping[str, Any]:
    """Unpack everything into the stage; the manifest, checked."""
    reader, names, now = ArchiveReader(archive, limits), home_files.Names(), time.time()
    stage = code.stage
    known = {f"{transfer.FOLDER}/{table.name}.jsonl": table.name for table in transfer.tables()}
    manifest: Mapping[str, Any] = {}
    for member in reader.members():
        path = home_files.path_of(member.name)
        names.add(path)
        if member.name == MANIFEST:
            manifest = _manifest(archive, member.size, reader)
        elif member.name in known:
            stage.add_rows(known[member.name], reader)
        elif path.parts[0] == FILES and len(path.parts) > 1:
            inside = PurePosixPath(*path.parts[1:])
            if home_files.travels(inside):
                stage.add_file(inside, member, reader, now=now)
        elif path.parts[0] == CODE:
            code.add(path, member, reader)
        else:
            raise RefusedError(f"{archive}: {member.name!a} is not part of an export")
    if not manifest:
        raise InputError(f"{archive}: holds no manifest of format {FORMAT}; is it an export of this program?")
    return manifest


def _manifest(archive: Path, size: int, reader: ArchiveReader) -> Mapping[str, Any]:
    if size > MB:
        raise RefusedError(f"{archive}: a manifest of {size} bytes")
    try:
        found = json.loads(b"".join(reader.content()))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT or not isinstance(found.get("project"), str):
        raise InputError(f"{archive}: holds no manifest of format {FORMAT}; is it an export of this program?")
    project_name(found["project"])
    if not isinstance(found.get("rows", {}), dict):
        raise InputError(f"{archive}: {MANIFEST}: rows: is not an object")
    return found


def _without_forged_results(stage: ImportStage, results: set[str]) -> int:
    """Remove results of trials that the rows do not call finished; the number of files that are left."""
    count = 0
    for path in stage.home.rglob("*"):
        if path.is_file():
            if home_files.is_believed(PurePosixPath(path.relative_to(stage.home).as_posix()), results):
                count += 1
            else:
                path.unlink()
    return count


def _settle(sessions: sessionmaker[Session], root: Path, stage: ImportStage) -> dict[str, Any] | None:
    """Bring the files of an import into agreement with its rows; what it has told, where the rows are there."""
    with sessions() as session:
        told = records.imported(session=session, token=stage.token)
    import_stage.settle(stage, root, committed=told is not None)
    return told


def _sha256(archive: Path) -> str:
    try:
        with opened(archive) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{archive}: cannot be read as an export: {error.strerror or error}") from None
