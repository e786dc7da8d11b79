"""Moves files into and out of a container as tar streams. What comes out is hostile: bounded, regular files only."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, cast

from auto_benchmark.runners.entrypoint import LARGEST_LOG_BYTES

CONTRACT_FILES = {"predictions.jsonl", "metrics.json"}
MOST_FILES = 2_000
DEEPEST = 3
BLOCK_BYTES = 2**20


class UnfitOutputError(Exception):
    """The trial's output directory cannot be taken over."""


def pack(folder: Path) -> bytes:
    """The regular files of a data view, owned by root and read-only."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path in sorted(folder.rglob("*")):
            if not path.is_file():
                continue
            info = archive.gettarinfo(path, str(path.relative_to(folder)))
            info.uid = info.gid = 0
            info.uname = info.gname = "root"
            info.mode = 0o444
            with path.open("rb") as content:
                archive.addfile(info, content)
    return packed.getvalue()


def pack_code(folder: Path) -> bytes:
    """A folder's files with their folders, owned by root and read-only; what may be executed stays so."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                continue
            info = archive.gettarinfo(path, path.relative_to(folder).as_posix())
            info.uid = info.gid = 0
            info.uname = info.gname = "root"
            info.mode = 0o755 if path.is_dir() else 0o444 | (path.stat().st_mode & 0o111)
            if path.is_dir():
                archive.addfile(info)
                continue
            with path.open("rb") as content:
                archive.addfile(info, content)
    return packed.getvalue()


def unpack(
    chunks: Iterable[bytes], target: Path, *, limit_mb: int, deepest: int = DEEPEST, keeps_executables: bool = False
) -> None:  # fmt: skip
    """Write the regular files of an archive of one directory below ``target``; links and devices never appear.

    Args:
        chunks: the archive.
        target: an existing directory.
        limit_mb: how much the trial may leave besides its log, MiB.
        deepest: folders in each other; what lies deeper is left out.
        keeps_executables: whether what may be executed stays so.

    Raises:
        UnfitOutputError: when it holds too much, or a file of the trial contract is not a regular file. What was
            written until then stays.
        tarfile.TarError: it breaks off, which is no fault of the trial's.
    """
    try:
        _unpack(chunks, target, limit_mb, deepest, keeps_executables)
    except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
        raise UnfitOutputError(f"the output cannot be read: {error}") from None


def _unpack(chunks: Iterable[bytes], target: Path, limit_mb: int, deepest: int, keeps_executables: bool) -> None:
    room, files = limit_mb * 2**20 + LARGEST_LOG_BYTES, 0
    with tarfile.open(fileobj=cast("IO[bytes]", _Stream(iter(chunks))), mode="r|") as archive:
        for member in archive:
            place = _inside(member.name, deepest)
            if place is None or member.isdir():
                continue
            if not member.isreg():
                if place.name in CONTRACT_FILES:
                    raise UnfitOutputError(f"{place} is not a regular file")
                continue
            room, files = room - member.size, files + 1
            if room < 0:
                raise UnfitOutputError(f"the output holds more than {limit_mb} MiB")
            if files > MOST_FILES:
                raise UnfitOutputError(f"the output holds more than {MOST_FILES} files")
            _write(archive.extractfile(member), target / place)
            if keeps_executables and member.mode & 0o100:
                (target / place).chmod(0o755)


def _inside(name: str, deepest: int) -> PurePosixPath | None:
    """The path below the archived directory; None for the directory itself and whatever points out of it."""
    parts = PurePosixPath(name).parts[1:]
    sound = parts and len(parts) <= deepest and not any(p in {"..", "/"} or "\0" in p for p in parts)
    return PurePosixPath(*parts) if sound else None


def _write(source: IO[bytes] | None, path: Path) -> None:
    if source is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        while block := source.read(BLOCK_BYTES):
            file.write(block)


class _Stream:
    """A readable over an iterator of byte blocks, as tarfile wants it."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = chunks, b""

    def read(self, size: int) -> bytes:
        parts, have = [self._rest], len(self._rest)
        while have < size and (chunk := next(self._chunks, None)) is not None:
            parts.append(chunk)
            have += len(chunk)
        joined = b"".join(parts)
        self._rest = joined[size:]
        return joined[:size]
