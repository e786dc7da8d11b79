"""Runs one command of a candidate's, confined by every layer that the machine offers, and ends all that it leaves.

The confinement is that of trials (``runners/confinement``): a file tree that holds the granted paths alone, no network,
a user of its own, Landlock, a filter of system calls. A candidate talks through its standard input and output alone.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .limits import Limits
from .steady_paths import steady_path
from .waiting import Waiting

HERE = Path(__file__).resolve().parent
CONFINEMENT = next(
    place for place in (HERE / "confinement", HERE.parents[1] / "runners" / "confinement") if place.is_dir()
)
INTERPRETER = os.path.realpath(sys.executable)
"""Not a virtual environment's: only the real one's folder is granted."""
LAUNCH = HERE / "launch.py"
PROGRAMS = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin")
SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime")
DEVICES = ("/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero")
ENVIRONMENT = {"LANG": "C.UTF-8", "PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONHASHSEED": "0", "GOMAXPROCS": "1"}
"""The whole of it, the same for every candidate: counts depend on its size."""
FIRST_USER, LAST_USER = 61_184, 65_519
"""As in ``confinement/privileges.py``: numbers for users who exist only while something runs."""
END_SECONDS = 8.0
MOST_WAITING, LONGEST_WAITING_S = 6, 60.0
"""Times a command's seconds, and seconds, that it may wait for a processor, beyond the two times that it has anyway."""
LEAST_ROOM_MB = 32
"""On disk, where something is written: a compiler that finds none is no fault of the candidate's."""
LOOK_SECONDS, LAST_LOOK_SECONDS = 0.25, 0.05
"""Between looks at what runs, and at what has closed its output and is about to end."""
READ_BYTES = 1 << 16
LARGEST_ERROR_BYTES = 1 << 16


class Ended(NamedTuple):
    """How a command ended.

    Attributes:
        code: exit code; 128 + n after signal n.
        output: standard output.
        error: the beginning of standard error.
        stopped: why it was stopped, or None.
        cpu_s: processor time of all its processes, s.
    """

    code: int
    output: bytes
    error: str
    stopped: str | None
    cpu_s: float


class ConfinementError(Exception):
    """The machine cannot confine a candidate, or has no room for it: nothing is run, and nothing said about it."""


_known: dict[str, Any] = {}


def know(found: dict[str, Any]) -> None:
    """Take what whoever started this process has found here, instead of trying it again."""
    _known.update(found)
    layers.cache_clear()


@cache
def layers() -> dict[str, Any]:
    """What this machine offers, found by trying."""
    found = dict(_known) or _tried()
    if not found["landlock"] and "mount" not in found["namespaces"]:
        raise ConfinementError(
            "this machine has neither mount namespaces nor Landlock: the verifier would not be sealed"
        )
    return found


def _tried() -> dict[str, Any]:
    asked = subprocess.run(
        [sys.executable, "-I", "-S", str(CONFINEMENT), "probe"], capture_output=True, check=True, timeout=30, env={}
    )
    found: dict[str, Any] = json.loads(asked.stdout)
    return found


@contextmanager
def own_user() -> Iterator[int | None]:
    """A user number that is not in use meanwhile, where the machine offers that."""
    if not layers()["own_user"]:
        yield None
        return
    claims = Path("/run/auto-benchmark/users")
    claims.mkdir(mode=0o700, parents=True, exist_ok=True)
    while True:
        user = FIRST_USER + secrets.randbelow(LAST_USER - FIRST_USER + 1)
        lock = os.open(claims / str(user), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        try:
            yield user
        finally:
            os.close(lock)
        return


def run(
    command: Sequence[str],
    *,
    folder: Path,
    limits: Limits,
    user: int | None,
    stdin: bytes = b"",
    readable: Sequence[str] = (),
    writes: bool = False,
    socket: int | None = None,
    environment: dict[str, str] | None = None,
) -> Ended:
    """Run a command to its end or its limits.

    Args:
        command: program and arguments; relative paths are within ``folder``.
        folder: its working directory.
        limits: what it may use.
        user: from :func:`own_user`.
        stdin: its standard input.
        readable: paths that it may read besides the folder and the machine's programs.
        writes: whether it may write in the folder; nothing else on disk can be written.
        socket: descriptor that the command inherits, out of reach of programs that run under Valgrind.
        environment: variables besides :data:`ENVIRONMENT`.

    Raises:
        ConfinementError: when it cannot be confined, or would write to a full disk.
    """
    if writes:
        require_room(folder)
    reading, writing = os.pipe()
    in_memory = "mount" in layers()["namespaces"]
    writable = [str(folder)] if writes else []
    bounds = {"forks": limits.forks, "seconds": limits.seconds, "memory_mb": limits.memory_mb,
              "file_mb": limits.output_mb, "socket": socket}  # fmt: skip
    with (
        tempfile.TemporaryDirectory(prefix="ab-lab-", ignore_cleanup_errors=True) as scratch,
        tempfile.TemporaryFile() as given,
    ):
        if not in_memory:
            writable.append(scratch)
            if user is not None:
                os.chown(scratch, user, user)
        place = steady_path("/dev/shm" if in_memory else scratch)  # noqa: S108 - the candidate's own, in memory and bounded
        plan = {
            "readable": [*PROGRAMS, *SETTINGS, sys.base_prefix, str(HERE), str(CONFINEMENT), str(folder), *readable],
            "writable": writable, "layers": layers(), "devices": DEVICES, "user": user, "groups": [], "memory_mb": 64,
            "pids": limits.tasks, "counts_files_in_memory": False, "bounds_processes": False, "report": writing,
        }  # fmt: skip
        given.write(stdin)
        given.seek(0)
        os.set_blocking(writing, False)  # what is not read must not keep the confinement from ending the command
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(CONFINEMENT), json.dumps(plan), INTERPRETER, "-I", "-S", str(LAUNCH),
             json.dumps(bounds), *command],
            cwd=folder, env={**ENVIRONMENT, "TMPDIR": place, "HOME": place, **(environment or {})}, stdin=given,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            pass_fds=(writing, *(() if socket is None else (socket,))),
        )  # fmt: skip
        os.close(writing)
        return _follow(process, reading, limits)


def require_room(folder: Path) -> None:
    """Raises ConfinementError where the disk is so full that the machine would be to blame for what fails."""
    found = os.statvfs(folder)
    free_mb = found.f_bavail * found.f_frsize >> 20
    if free_mb < LEAST_ROOM_MB:
        raise ConfinementError(f"{tempfile.gettempdir()}: {free_mb} MiB are free; {LEAST_ROOM_MB} are needed")


def _follow(process: subprocess.Popen[bytes], report: int, limits: Limits) -> Ended:
    """Take the output until the end, or until there is too much of it or it takes too long.

    What the confinement tells is read meanwhile, for it tells it ten times a second, and a pipe holds little.
    """
    assert process.stdout is not None and process.stderr is not None  # noqa: S101 - both are pipes
    began, looks, stopped = time.monotonic(), 1, None
    waiting, deadline = Waiting(process.pid), began + 2 * limits.seconds
    out, error, said = bytearray(), bytearray(), bytearray()
    streams = {process.stdout.fileno(), process.stderr.fileno()}
    kept = {process.stdout.fileno(): out, process.stderr.fileno(): error, report: said}
    with selectors.DefaultSelector() as selector:
        for descriptor in kept:
            selector.register(descriptor, selectors.EVENT_READ)
        while streams & selector.get_map().keys() and stopped is None:
            _take(selector, kept, error, min(LOOK_SECONDS, deadline - time.monotonic()))
            if len(out) > limits.output_mb << 20:
                stopped = f"wrote more than {limits.output_mb} MiB"
            elif time.monotonic() - began >= looks * LOOK_SECONDS:
                looks += 1
                deadline = began + 2 * limits.seconds + _granted(waiting, limits)
                if time.monotonic() >= deadline:
                    stopped = f"did not end within {time.monotonic() - began:.0f} s"
        until = max(deadline, time.monotonic() + END_SECONDS)
        while stopped is None and process.poll() is None and time.monotonic() < until:
            _take(selector, kept, error, LAST_LOOK_SECONDS)
    if stopped is None and process.poll() is None:
        stopped = f"did not end within {time.monotonic() - began:.0f} s"
    _end(process)
    told: dict[str, Any] = {}
    with os.fdopen(report, "rb") as file:
        for line in (bytes(said) + file.read()).splitlines():
            told |= json.loads(line)
    if "fault" in told:
        raise ConfinementError(str(told["fault"]))
    return Ended(
        process.returncode, bytes(out), error.decode("utf-8", "replace"), stopped, float(told.get("cpu_s", 0.0))
    )


def _take(selector: selectors.BaseSelector, kept: dict[int, bytearray], error: bytearray, seconds: float) -> None:
    """Wait for what comes next, and keep it; of what is written to ``error`` the beginning."""
    for key, _ in selector.select(max(0.0, seconds)):
        chunk = os.read(key.fd, READ_BYTES)
        if not chunk:
            selector.unregister(key.fd)
        elif kept[key.fd] is not error or len(error) < LARGEST_ERROR_BYTES:
            kept[key.fd] += chunk


def _granted(waiting: Waiting, limits: Limits) -> float:
    """Seconds more for what waited while other work had the processors: that is no fault of the candidate's."""
    return min(waiting.seconds(), MOST_WAITING * limits.seconds, LONGEST_WAITING_S)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the confinement, and with it everything below it."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for stream in (process.stdout, process.stderr):
        if stream:
            stream.close()
