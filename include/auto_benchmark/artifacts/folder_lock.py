"""The right to work in a folder: one process at a time."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from auto_benchmark.errors import InputError, RefusedError

LOCK = ".lock"
"""Name of the file that is held."""


@contextlib.contextmanager
def locked(folder: Path, lock: str = LOCK, *, taken: str, mode: int = 0o666) -> Iterator[None]:
    """Hold a folder, made where it is missing; the kernel lets go of it when the process dies, however it dies.

    Args:
        folder: where to work.
        lock: name of the file in it that is held.
        taken: what is said where another process holds it.
        mode: of the file where it is new, less the umask.

    Raises:
        InputError: the folder cannot be made or written.
        RefusedError: another process holds it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None
    with _held(descriptor, fcntl.LOCK_EX, taken):
        yield


@contextlib.contextmanager
def at_rest(folder: Path, lock: str = LOCK, *, taken: str) -> Iterator[None]:
    """Read a folder that nobody works in; several may read it at once. One without a lock was copied, and rests.

    Raises:
        RefusedError: a process holds it, with ``taken``.
    """
    try:
        descriptor = os.open(folder / lock, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        yield
        return
    with _held(descriptor, fcntl.LOCK_SH, taken):
        yield


@contextlib.contextmanager
def _held(descriptor: int, how: int, taken: str) -> Iterator[None]:
    try:
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RefusedError(taken) from None
        yield
    finally:
        os.close(descriptor)
