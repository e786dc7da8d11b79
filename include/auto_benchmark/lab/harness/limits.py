"""What one run of a candidate's program may use."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Bounds that the kernel or the judge keeps.

    Attributes:
        seconds: of processor time; the wall clock may take twice as long, and what it waits for a processor besides.
        memory_mb: address space of a process, MiB.
        output_mb: standard output, MiB; and every file that is written.
        tasks: processes and threads, about.
        forks: whether it may start processes. Threads it may always start: they are counted with it.
    """

    seconds: float = 15.0
    memory_mb: int = 1536
    output_mb: int = 16
    tasks: int = 16
    forks: bool = False


BUILDING = Limits(seconds=60.0, memory_mb=8192, output_mb=64, tasks=256, forks=True)
"""Of a compiler: it starts others, and Go's keeps a cache in the folder that it builds in."""
