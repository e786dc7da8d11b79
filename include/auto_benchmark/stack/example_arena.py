"""The bundled arena as a child of the command line: reused when one answers, started and stopped otherwise."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
from pydantic import SecretStr

from auto_benchmark import atomic
from auto_benchmark.db.embedded import free_port
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import HttpConnection

READY_S = 180.0
CONN_ID = "arena"


@contextlib.contextmanager
def example_arena(settings: Settings, *, say: Callable[[str], None]) -> Iterator[HttpConnection]:
    """The arena of this home as a connection.

    Raises:
        AutoBenchmarkError: when it does not come up; the message names its log.
    """
    home = settings.root / "arena"
    home.mkdir(parents=True, exist_ok=True)
    recorded = home / "url"
    url = recorded.read_text(encoding="utf-8").strip() if recorded.exists() else ""
    if url and _answers(url):
        yield _connection(url, home)
        return
    url = f"http://127.0.0.1:{free_port()}"
    with _process(settings, home, url) as process:
        say("arena: drawing a hidden world and running its competitors")
        _wait(process, url, home / "arena.log")
        atomic.write_text(recorded, url + "\n")
        say(f"arena: {url}")
        yield _connection(url, home)


def _connection(url: str, home: Path) -> HttpConnection:
    return HttpConnection(url, SecretStr((home / "token").read_text(encoding="utf-8").strip()))


@contextlib.contextmanager
def _process(settings: Settings, home: Path, url: str) -> Iterator[subprocess.Popen[bytes]]:
    port = url.rsplit(":", 1)[1]
    with (home / "arena.log").open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, str(settings.arena), "--home", str(home), "--port", port],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=_die_with_parent,  # noqa: PLW1509 - it only makes one system call
        )
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline:
        if _answers(url):
            return
        if process.poll() is not None:
            raise AutoBenchmarkError(f"the arena ended with exit {process.returncode}; see {log}")
        time.sleep(0.2)
    raise AutoBenchmarkError(f"the arena is not ready after {READY_S:.0f} s; see {log}")


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", timeout=2.0, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False
