"""A busy processor: neighbours of usual priority that never rest, so that what is bound to it gets what they leave."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

NEIGHBOURS = 3
"""Each in a session of its own: where sessions share evenly (sched(7), autogroup), priority counts within one only."""
BUSY = "import os\nos.sched_setaffinity(0, {%d})\nwhile True: pass"


@contextmanager
def busy_processor(neighbours: int = NEIGHBOURS) -> Iterator[int]:
    """Its number, while its neighbours run."""
    processor = min(os.sched_getaffinity(0))
    busy = [
        subprocess.Popen([sys.executable, "-S", "-c", BUSY % processor], start_new_session=True)
        for _ in range(neighbours)
    ]
    try:
        yield processor
    finally:
        for process in busy:
            process.kill()
            process.wait()


@contextmanager
def one_busy_processor(neighbours: int = NEIGHBOURS) -> Iterator[None]:
    """While it holds, all that this thread starts is bound to a busy processor."""
    before = os.sched_getaffinity(0)
    with busy_processor(neighbours) as processor:
        os.sched_setaffinity(0, {processor})
        try:
            yield
        finally:
            os.sched_setaffinity(0, before)
