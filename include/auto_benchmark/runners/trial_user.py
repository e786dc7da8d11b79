"""Users that exist only while a trial runs: numbers without a name, each held by one trial of this machine."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from auto_benchmark.runners.confinement.privileges import FIRST_USER, LAST_USER
from auto_benchmark.runners.runner import EnvironmentFaultError

CLAIMS = Path("/run/auto-benchmark/users")
TRIES = 1_000


@contextlib.contextmanager
def own_user(claims: Path = CLAIMS) -> Iterator[int]:
    """A user and group number that no other trial has meanwhile; only root can hand it out.

    A claim is a lock on a file, which ends with its holder however that ends.

    Raises:
        EnvironmentFaultError: when no number can be claimed.
    """
    try:
        claims.mkdir(mode=0o700, parents=True, exist_ok=True)
        if claims.is_symlink() or claims.stat().st_uid != os.geteuid():
            raise EnvironmentFaultError(f"{claims} belongs to another user")
        user, lock = _claim(claims)
    except OSError as error:
        raise EnvironmentFaultError(f"no user can be claimed for the trial: {error}") from error
    try:
        yield user
    finally:
        os.close(lock)


def _claim(claims: Path) -> tuple[int, int]:
    for _ in range(TRIES):
        user = FIRST_USER + secrets.randbelow(LAST_USER - FIRST_USER + 1)
        lock = os.open(claims / str(user), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        return user, lock
    raise EnvironmentFaultError(f"{claims}: no free user number was found")
