"""Waiting for services to answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import httpx
import psutil

from auto_benchmark.errors import AutoBenchmarkError

POLL_S = 0.25


class NotReadyError(AutoBenchmarkError):
    """A service ended or stayed silent; the message names its log and repeats the end of it."""


def answers(url: str, *, accept: Callable[[httpx.Response], bool] | None = None, timeout_s: float = 5.0) -> bool:
    """Whether a GET of ``url`` succeeds, and with content that ``accept`` is happy with."""
    try:
        response = httpx.get(url, timeout=timeout_s, trust_env=False, follow_redirects=True)
    except httpx.HTTPError:
        return False
    return response.is_success and (accept is None or accept(response))


def wait_until(ready: Callable[[], bool], *, name: str, process: psutil.Process, log: Path, timeout_s: float) -> None:
    """Wait for ``ready``, as long as the process lives.

    Raises:
        NotReadyError: the process ended, or the time is over.
    """
    deadline = time.monotonic() + timeout_s
    while not ready():
        if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
            raise NotReadyError(f"{name} ended before it was ready; {log} ends with:\n{tail(log)}")
        if time.monotonic() > deadline:
            raise NotReadyError(f"{name} was not ready within {timeout_s:g} s; {log} ends with:\n{tail(log)}")
        time.sleep(POLL_S)


def tail(log: Path, lines: int = 15) -> str:
    """The end of a log."""
    try:
        return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return "(nothing)"
