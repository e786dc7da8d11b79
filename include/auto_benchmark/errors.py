"""Every error that a user can cause, and how it is told: file, line, field, message."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing that is wrong in one place of one document."""

    file: str
    line: int | None
    field: str
    message: str

    def __str__(self) -> str:
        """Render as compilers do, so that editors can jump to it."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.field}: {self.message}" if self.field else f"{place}: {self.message}"


class AutoBenchmarkError(Exception):
    """Base of all errors raised on purpose. The command line shows its text, never a traceback."""


class InputError(AutoBenchmarkError):
    """Something a user wrote or named is wrong. Exit code 2."""


class ConfigError(InputError):
    """One or more faults in a document.

    Args:
        faults: what is wrong and where; at least one.
    """

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))


class RefusedError(InputError):
    """The system declines to do what was asked, for a stated reason. Exit code 2."""


REFUSALS = frozenset(
    {
        errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT,
        errno.ENAMETOOLONG, errno.ELOOP, errno.EISDIR, errno.ENOTDIR,
    }
)  # fmt: skip
"""What a file system refuses for what stands in it, or for want of room, and not for a fault of the program."""


def refusal(error: OSError) -> str | None:
    """What the file system refused, on one line; None for any other failure."""
    if error.errno not in REFUSALS:
        return None
    reason = error.strerror or str(error)
    return f"{os.fsdecode(error.filename)}: {reason}" if isinstance(error.filename, str | bytes) else reason


@contextlib.contextmanager
def chosen_by_user(path: Path) -> Iterator[None]:
    """While something is written at a path that a person gave. Raises InputError for what the file system refuses."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
