"""Reads the ``.tar.gz`` of an export that anybody may have written: each byte once, in order, and never too many.

``tarfile`` reads extended headers of any size into memory and follows links, so that only its parser of the 512-byte
header is used here. Members are regular files, with the extended header (pax) that long names and times need; links,
devices, directories and everything else are refused. An error leaves it to the caller to drop what was read so far.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import stat
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.settings import Settings

BLOCK = 512
CHUNK = 1 << 16
MB = 1 << 20
MOST_OF_A_HEADER = 1 << 14
"""Bytes of an extended header: a path of 1,024 characters and some numbers."""
EXTENDED = frozenset({b"path", b"mtime", b"atime", b"ctime", b"uid", b"gid", b"uname", b"gname"})
"""What an extended header may say. A size of its own would contradict the header."""
ALWAYS_ALLOWED = 64 * MB
"""Unpacked bytes of an archive however small it is: repeated rows compress well."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What one archive may hold; sizes in bytes, unpacked."""

    members: int
    member: int
    total: int
    line: int
    expansion: int

    @classmethod
    def of(cls, settings: Settings) -> ArchiveLimits:
        """As the settings say."""
        return cls(
            settings.import_members, settings.import_member_mb * MB, settings.import_total_mb * MB,
            settings.import_line_mb * MB, settings.import_expansion,
        )  # fmt: skip

    def unpacked(self, packed: int) -> int:
        """Most bytes that an archive of ``packed`` bytes may become."""
        return min(self.total, max(ALWAYS_ALLOWED, packed * self.expansion))


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an archive: name, size in bytes, time of its last change (seconds since 1970), whether it may be run."""

    name: str
    size: int
    changed_at: float
    executable: bool = False


class ArchiveReader:
    """The members of one archive, one after the other; their content is read in between.

    Args:
        archive: the file.
        limits: what it may hold.
    """

    def __init__(self, archive: Path, limits: ArchiveLimits) -> None:
        self._archive, self._limits = archive, limits
        self._left_of_member = self._padding = self._read = 0
        self._most = 0
        self._stream: gzip.GzipFile

    def members(self) -> Iterator[Member]:
        """Every member, in order.

        Raises:
            InputError: the file is not a complete archive.
            RefusedError: it holds more than it may, or something other than regular files.
        """
        with self._reading(), opened(self._archive) as file:
            self._most = self._limits.unpacked(os.fstat(file.fileno()).st_size)
            with gzip.GzipFile(fileobj=file, mode="rb") as self._stream:
                yield from self._all()

    def content(self) -> Iterator[bytes]:
        """The content of the present member, in pieces."""
        while self._left_of_member:
            piece = self._exactly(min(CHUNK, self._left_of_member))
            self._left_of_member -= len(piece)
            yield piece

    def _all(self) -> Iterator[Member]:
        count = 0
        while (member := self._next()) is not None:
            count += 1
            if count > self._limits.members:
                raise self._too_much(f"more than {self._limits.members} members", "IMPORT_MEMBERS")
            yield member
        while rest := self._some(CHUNK):  # to the end, so that gzip's checksum is verified
            if rest.strip(b"\0"):
                raise InputError(f"{self._archive}: something follows the end of the archive")

    def _next(self) -> Member | None:
        for _ in self.content():
            pass
        self._exactly(self._padding)
        self._padding = 0
        header = self._header()
        extended: dict[str, str] = {}
        if header is not None and header.type == tarfile.XHDTYPE:
            extended = self._extended(header)
            header = self._header()
            if header is None:
                raise InputError(f"{self._archive}: ends behind an extended header")
        if header is None:
            return None
        name = extended.get("path", header.name)
        if header.type not in {tarfile.REGTYPE, tarfile.AREGTYPE} or header.linkname or header.name.endswith("/"):
            raise RefusedError(f"{self._archive}: {_shown(name)} is not a regular file")
        self._begin(name, header.size)
        return Member(name, header.size, float(header.mtime), bool(header.mode & 0o100))

    def _begin(self, name: str, size: int) -> None:
        if not 0 <= size <= self._limits.member:
            text = f"{_shown(name)} has {size} bytes, more than {self._limits.member}"
            raise self._too_much(text, "IMPORT_MEMBER_MB")
        self._fits(size)
        self._left_of_member, self._padding = size, -size % BLOCK

    def _header(self) -> tarfile.TarInfo | None:
        """The next header; None at the end of the archive, which two empty blocks mark."""
        block = self._exactly(BLOCK)
        if block.count(0) == BLOCK:
            if self._exactly(BLOCK).count(0) != BLOCK:
                raise InputError(f"{self._archive}: there is an empty block between members")
            return None
        return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")

    def _extended(self, header: tarfile.TarInfo) -> dict[str, str]:
        """Key -> value of a pax header; only the path counts."""
        if not 0 < header.size <= MOST_OF_A_HEADER:
            raise RefusedError(f"{self._archive}: an extended header of {header.size} bytes")
        content = self._exactly(header.size)
        self._exactly(-header.size % BLOCK)
        found: dict[str, str] = {}
        while content:
            length, _, _ = content.partition(b" ")
            if not length.isdigit() or len(length) > 5 or not 5 <= int(length) <= len(content):
                raise InputError(f"{self._archive}: an extended header is damaged")
            record, content = content[: int(length)], content[int(length) :]
            key, equals, value = record[len(length) + 1 : -1].partition(b"=")
            if not equals or not record.endswith(b"\n") or key not in EXTENDED:
                raise RefusedError(f"{self._archive}: an extended header says {_shown(key.decode('latin-1'))}")
            found[key.decode()] = value.decode("utf-8", "surrogateescape")
        return found

    def _exactly(self, size: int) -> bytes:
        pieces = []
        while size:
            piece = self._some(size)
            if not piece:
                raise InputError(f"{self._archive}: cannot be read as an export: it ends too early")
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _some(self, size: int) -> bytes:
        self._fits(0)
        with self._reading():
            piece = self._stream.read(min(size, CHUNK))
        self._read += len(piece)
        return piece

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
            raise InputError(f"{self._archive}: cannot be read as an export: {error}") from None

    def _fits(self, more: int) -> None:
        if self._read + more > self._most:
            text = f"unpacks to more than {self._most} bytes"
            allowed = "IMPORT_TOTAL_MB" if self._most == self._limits.total else "IMPORT_EXPANSION"
            raise self._too_much(text, allowed)

    def _too_much(self, text: str, setting: str) -> RefusedError:
        return RefusedError(f"{self._archive}: {text}; AUTO_BENCHMARK_{setting} sets the limit")


def opened(archive: Path) -> io.BufferedReader:
    """The file, open for reading.

    Raises:
        InputError: it is a folder, or a device or pipe, which would be read for ever.
        OSError: it cannot be opened.
    """
    descriptor = os.open(archive, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(f"{archive}: is not a regular file")
    return os.fdopen(descriptor, "rb")


def _shown(name: str) -> str:
    """A name from outside, as it may stand in a message."""
    return ascii(name[:120])
