"""Whether one program on one input counts the same every time, also while other work keeps a processor busy."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from . import confined

BUSY = "while True: pass"


def recounted(count: Callable[[], int], times: int) -> list[int]:
    """So many counts; the second half of them beside a process that is busy all the time."""
    alone = [count() for _ in range(times - times // 2)]
    with _busy_core():
        return [*alone, *(count() for _ in range(times // 2))]


@contextmanager
def _busy_core() -> Iterator[None]:
    process = subprocess.Popen([confined.INTERPRETER, "-I", "-S", "-c", BUSY])
    try:
        yield
    finally:
        process.kill()
        process.wait()
