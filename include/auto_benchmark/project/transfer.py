"""Dump and restore of a project: one archive with its rows and its files."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

from sqlalchemy.orm import Session, sessionmaker

from auto_benchmark import __version__
from auto_benchmark.db import transfer
from auto_benchmark.db.repositories import projects
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.settings import Settings

FORMAT = 1
MANIFEST = "manifest.json"
LEFT_OUT = {"hidden_inputs"}
"""Files of the home that belong to a board, not to us."""


def export_project(
    settings: Settings, sessions: sessionmaker[Session], project: str, archive: Path
) -> dict[str, Any]:
    """Write everything of ``project`` into one ``.tar.gz``, aside first.

    Returns:
        ``{"project", "rows": {table: n}, "files": n}``.

    Raises:
        InputError: when the database has no such project, or the archive cannot be written.
    """
    name = _aside(archive)
    try:
        with sessions() as session, tarfile.open(name, "w:gz") as tar:
            session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            if project not in projects.names(session=session):
                raise InputError(f"the database has no project {project!r}")
            rows = {table.name: _add_table(tar, table, session, project) for table in transfer.tables()}
            files = _add_files(tar, settings.project_home(project))
            told = {"project": project, "rows": rows, "files": files}
            manifest = {"format": FORMAT, "version": __version__, **told}
            _add_bytes(tar, MANIFEST, json.dumps(manifest, indent=1).encode())
        Path(name).replace(archive)
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


def import_project(settings: Settings, sessions: sessionmaker[Session], archive: Path) -> dict[str, Any]:
    """Restore a project. Rows come in one transaction; files only after it has gone through.

    Raises:
        InputError: when the file is no export of ours.
        RefusedError: when the project or its files are there already.
    """
    try:
        with tarfile.open(archive, "r:gz") as tar:
            manifest = _manifest(tar, archive)
            project = manifest["project"]
            home = settings.project_home(project)
            if home.exists() and any(home.iterdir()):
                raise RefusedError(f"{home} holds files already; move them away first")
            with sessions.begin() as session:
                if project in projects.names(session=session):
                    raise RefusedError(f"the database holds a project {project!r} already")
                rows = {table.name: _read_table(tar, table, session) for table in transfer.tables()}
                transfer.advance_identities(session=session)
            files = _extract_files(tar, home)
    except (OSError, tarfile.TarError, EOFError) as error:
        raise InputError(f"{archive}: cannot be read as an export: {error}") from None
    return {"project": project, "rows": rows, "files": files}


def _add_table(tar: tarfile.TarFile, table: Any, session: Session, project: str) -> int:
    lines = list(transfer.rows_of(table, session=session, project=project))
    _add_bytes(tar, f"tables/{table.name}.jsonl", "".join(f"{line}\n" for line in lines).encode())
    return len(lines)


def _add_bytes(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    tar.addfile(info, io.BytesIO(content))


def _add_files(tar: tarfile.TarFile, home: Path) -> int:
    count = 0
    for path in sorted(home.rglob("*")):
        relative = path.relative_to(home)
        if path.is_file() and not path.is_symlink() and relative.parts[0] not in LEFT_OUT:
            tar.add(path, arcname=f"files/{relative.as_posix()}", recursive=False)
            count += 1
    return count


def _manifest(tar: tarfile.TarFile, archive: Path) -> dict[str, Any]:
    with contextlib.suppress(KeyError, ValueError):
        member = tar.extractfile(MANIFEST)
        found = json.loads(member.read()) if member else {}
        if found.get("format") == FORMAT and isinstance(found.get("project"), str):
            return dict(found)
    raise InputError(f"{archive}: holds no manifest of format {FORMAT}; is it an export of this program?")


def _read_table(tar: tarfile.TarFile, table: Any, session: Session) -> int:
    try:
        member = tar.extractfile(f"tables/{table.name}.jsonl")
    except KeyError:
        return 0
    if member is None:
        return 0
    return transfer.insert_rows(table, io.TextIOWrapper(member, encoding="utf-8"), session=session)


def _extract_files(tar: tarfile.TarFile, home: Path) -> int:
    """Only regular files below ``files/``; the standard data filter refuses paths that lead elsewhere."""
    count = 0
    for member in tar.getmembers():
        if member.isreg() and PurePosixPath(member.name).parts[:1] == ("files",):
            member.name = str(PurePosixPath(*PurePosixPath(member.name).parts[1:]))
            home.mkdir(parents=True, exist_ok=True)
            tar.extract(member, home, filter="data")
            count += 1
    return count
