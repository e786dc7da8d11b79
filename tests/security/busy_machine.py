"""One processor for everything that this process starts, and busy neighbours on it: a trial gets what they leave."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

NEIGHBOURS = 3


@contextmanager
def one_busy_processor(neighbours: int = NEIGHBOURS) -> Iterator[None]:
    """While it holds, processes of this thread share one processor with others of usual priority that never rest."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    busy = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(neighbours)]
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
        for process in busy:
            process.kill()
            process.wait()
