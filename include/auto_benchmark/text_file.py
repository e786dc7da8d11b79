"""Reads text files that people have written, whatever their format; what cannot be read is a fault of the file."""

from __future__ import annotations

import stat
from pathlib import Path

from auto_benchmark.errors import ConfigError, Fault

LARGEST_BYTES = 64 * 2**20


def text_of(path: Path, shown_as: str) -> str:
    """Text of a file that a person has written.

    Raises:
        ConfigError: when it is missing, no file (a pipe waits for its writer, a device may have no end), too large or
            not UTF-8.
    """
    try:
        found = path.stat()
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
            raise ConfigError([Fault(shown_as, None, "", "is not a regular file")])
        if found.st_size > LARGEST_BYTES:
            raise ConfigError([Fault(shown_as, None, "", f"larger than {LARGEST_BYTES >> 20} MiB")])
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError([Fault(shown_as, None, "", f"cannot be read: {error.strerror or error}")]) from None
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")  # as a text file is read
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError([Fault(shown_as, line, "", f"not UTF-8 (byte {error.start})")]) from None
