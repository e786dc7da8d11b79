"""Waiting for a condition, however slow the machine is: who sleeps and then looks tests the machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import psutil

T = TypeVar("T")
LIMIT_S = 120.0
"""Reached by a fault only, so that it may be long; what it waits for must not come by itself before."""


def eventually(condition: Callable[[], T], what: str = "it", limit_s: float = LIMIT_S, every_s: float = 0.02) -> T:
    """The first answer of ``condition`` that is true. AssertionError after ``limit_s``."""
    deadline = time.monotonic() + limit_s
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what} has not happened within {limit_s:g} s: {found!r}"
        time.sleep(every_s)
    return found


def ended(process: psutil.Process) -> bool:
    """Whether a process has ended, be it that nobody has collected its exit code yet."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
