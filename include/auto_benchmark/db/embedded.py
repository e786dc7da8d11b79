"""The embedded Postgres of a home: one server per home, shared by every process that uses it.

``<home>/postgres`` holds ``data`` (the cluster), ``password``, ``lock`` and ``users.json``. Every start and stop
happens under a file lock. A process that starts or attaches writes itself into ``users.json``; the last one to leave
stops the server. A user that died without leaving is recognised by its process id *and* start time, so neither
``kill -9`` nor a reboot that recycles process ids leaves anything behind that the next start cannot clear.

As root the server runs as the operating-system user ``embedded_postgres``, because Postgres refuses to run as root;
where that user cannot reach the home, the cluster lies elsewhere (:mod:`auto_benchmark.db.postgres_place`).
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote

from auto_benchmark.db import postgres_programs
from auto_benchmark.db.postgres_place import cluster_of, is_reachable
from auto_benchmark.errors import RefusedError

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
SUPERUSER = "postgres"
FAST_AND_UNSAFE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
"""Settings for tests alone: a power cut would corrupt the cluster."""
ATTEMPTS_TO_FIND_A_PORT = 5
LONGEST_DATABASE_NAME = 63


class EmbeddedPostgres:
    """A handle on the server of one home; ``with EmbeddedPostgres(home) as server:`` starts or attaches, and leaves.

    Args:
        home: the home whose ``postgres`` directory holds the cluster; made when missing.
        port: TCP port on the loopback interface; a free one is chosen at each start when None.
        settings: further server settings, as ``postgresql.conf`` would name them (``max_connections``, ...). They
            take effect when this handle starts the server, not when it attaches to a running one.
    """

    def __init__(
        self, home: Path, *, port: int | None = None, settings: Mapping[str, str | int] | None = None
    ) -> None:
        self.root = home.expanduser().resolve() / "postgres"
        self.data = self.root / "data"
        self.wanted_port = port
        self.settings = {"max_connections": "100", **{k: str(v) for k, v in (settings or {}).items()}}
        self._token: str | None = None
        self._port: int | None = None

    def __enter__(self) -> EmbeddedPostgres:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def port(self) -> int:
        """TCP port of the running server. Raises RuntimeError before :meth:`start`."""
        if self._port is None:
            raise RuntimeError("the embedded Postgres has not been started by this handle")
        return self._port

    def start(self) -> EmbeddedPostgres:
        """Start the server, or attach to the one that another process of this home has started.

        Raises:
            RefusedError: the place or the port cannot be used; the message says why and what to do.
        """
        if self._token is not None:
            return self
        self._make_root()
        with self._lock():
            if postgres_programs.needs_other_user() and not is_reachable(self.root):
                self.data = cluster_of(self.root) / "data"
            users = self._living_users()
            port = self._running_port()
            if port is None:
                port = self._boot(self.wanted_port)
            elif self.wanted_port not in {None, port}:
                raise RefusedError(f"the Postgres of {self.root} already runs on port {port}, not {self.wanted_port}")
            self._token, self._port = secrets.token_hex(8), port
            self._write_users([*users, {**postgres_programs.identity(), "token": self._token}])
        return self

    def revive(self) -> None:
        """Start the server again if it was killed. This handle stays its user meanwhile, so that no other process stops it.

        Raises:
            RefusedError: it does not start, or does not start yet: processes of the killed one are still ending.
        """
        with self._lock():
            if self._running_port() is None:
                self._boot(self.port)

    def stop(self) -> None:
        """Leave; stop the server when it has no other user. Calling it twice, or before ``start``, does nothing."""
        if self._token is None:
            return
        with self._lock():
            users = [user for user in self._living_users() if user["token"] != self._token]
            self._write_users(users)
            if not users and self._running_port() is not None:
                postgres_programs.run("pg_ctl", "-D", str(self.data), "-w", "-t", "60", "-m", "fast", "stop")
        self._token = self._port = None

    def database_url(self, name: str) -> str:
        """SQLAlchemy URL (psycopg driver) of database ``name``; it carries the password of this home's server."""
        return f"postgresql+psycopg://{SUPERUSER}:{self._password()}@{HOST}:{self.port}/{quote(name)}"

    def create_database(self, name: str, *, template: str | None = None) -> str:
        """Create database ``name`` where it is missing (as a copy of ``template``) and return its URL."""
        import psycopg
        from psycopg import sql

        if not 0 < len(name.encode()) <= LONGEST_DATABASE_NAME:
            raise RefusedError(f"a database name has 1 to {LONGEST_DATABASE_NAME} bytes, not {name!r}")
        statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
        if template is not None:
            statement += sql.SQL(" TEMPLATE {}").format(sql.Identifier(template))
        dsn = self.database_url("postgres").replace("+psycopg", "", 1)
        with psycopg.connect(dsn, autocommit=True) as connection:
            try:
                connection.execute(statement)
            except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                log.debug("database %s exists already", name)
        return self.database_url(name)

    def _make_root(self) -> None:
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            if not os.access(self.root, os.W_OK):
                raise PermissionError(13, "not writable")
        except OSError as error:
            raise RefusedError(f"the embedded Postgres cannot use {self.root}: {error.strerror}") from error

    @contextmanager
    def _lock(self) -> Iterator[None]:
        descriptor = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _living_users(self) -> list[dict[str, Any]]:
        try:
            users = json.loads((self.root / "users.json").read_text())
        except (FileNotFoundError, ValueError):
            return []
        return [user for user in users if postgres_programs.is_alive(user)]

    def _write_users(self, users: list[dict[str, Any]]) -> None:
        new = self.root / "users.json.new"
        new.write_text(json.dumps(users))
        new.replace(self.root / "users.json")

    def _running_port(self) -> int | None:
        """Port of this home's running server; removes a pid file that a reboot has left to a foreign process."""
        pid_file = self.data / "postmaster.pid"
        try:
            lines = pid_file.read_text().splitlines()
            pid, port = int(lines[0]), int(lines[3])
        except FileNotFoundError:
            return None
        except (ValueError, IndexError):
            log.warning("removing the unreadable %s", pid_file)
            pid_file.unlink()
            return None
        if postgres_programs.is_server(pid, self.data):
            return port
        if postgres_programs.pid_exists(pid):
            log.warning("removing %s: process %d is not this server", pid_file, pid)
            pid_file.unlink()
        return None

    def _boot(self, wanted: int | None) -> int:
        if not (self.data / "PG_VERSION").exists():
            self._initialise()
        for attempt in range(ATTEMPTS_TO_FIND_A_PORT):
            port = wanted or free_port()
            if wanted and not port_is_free(port):
                raise RefusedError(f"port {port} on {HOST} is taken; choose another for the Postgres of {self.root}")
            try:
                postgres_programs.start_server(self.data, host=HOST, port=port, settings=self.settings)
                return port
            except postgres_programs.ProgramFailedError as error:
                taken = "Address already in use" in str(error)
                if wanted or not taken or attempt == ATTEMPTS_TO_FIND_A_PORT - 1:
                    raise RefusedError(f"the Postgres of {self.root} did not start:\n{error}") from error
        raise AssertionError("unreachable")

    def _initialise(self) -> None:
        """Make the cluster beside its place and rename it, so that a half-made one is never taken for whole."""
        new = self.data.with_name("data.new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(mode=0o700)
        secret = self.root / "password"
        descriptor = os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(24))
        with tempfile.NamedTemporaryFile("w", dir=self.data.parent) as copy:
            copy.write(self._password())
            copy.flush()
            postgres_programs.give(new, Path(copy.name))
            unsynced = ["--no-sync"] if self.settings.get("fsync") == "off" else []
            try:
                postgres_programs.run(
                    "initdb", "-D", str(new), "--username", SUPERUSER, "--auth=scram-sha-256",
                    f"--pwfile={copy.name}", "--encoding=UTF8", "--locale=C.UTF-8", *unsynced,
                )  # fmt: skip
            except postgres_programs.ProgramFailedError as error:
                raise RefusedError(f"no cluster could be made in {self.root}:\n{error}") from error
        new.rename(self.data)

    def _password(self) -> str:
        return (self.root / "password").read_text().strip()


def free_port() -> int:
    """A TCP port of the loopback interface that is free at this moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def port_is_free(port: int) -> bool:
    """Whether ``port`` of the loopback interface can be bound."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
