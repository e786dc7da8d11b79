"""Processor time of a process and of all that it starts, counted by the kernel (``perf_event_open(2)``).

What a parent does not wait for (``SIGCHLD`` ignored) is added to no account when it ends, and a look misses what lives
between two of them. A counter that is inherited adds up whatever ran, in whichever process.
"""

from __future__ import annotations

import os
import struct

from . import kernel

_SOFTWARE, _TASK_CLOCK, _SIZE = 1, 1, 112
_INHERIT, _NOT_THE_KERNEL, _NOT_THE_HYPERVISOR = 1 << 1, 1 << 5, 1 << 6
"""Time in the kernel counts all the same; without this only root may count."""
_ANY_PROCESSOR, _NO_GROUP, _CLOSE_ON_EXEC = -1, -1, 8


def counter(process: int) -> int:
    """A descriptor that counts from now on; of what the process has started before, nothing. Raises OSError."""
    bits = _INHERIT | _NOT_THE_KERNEL | _NOT_THE_HYPERVISOR
    wanted = struct.pack("=IIQQQQQ", _SOFTWARE, _SIZE, _TASK_CLOCK, 0, 0, 0, bits).ljust(_SIZE, b"\0")
    return kernel.call("perf_event_open", wanted, process, _ANY_PROCESSOR, _NO_GROUP, _CLOSE_ON_EXEC)


def seconds(descriptor: int) -> float:
    """What has been used so far. Raises OSError."""
    return int.from_bytes(os.read(descriptor, 8), "little") / 1e9
