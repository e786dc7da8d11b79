"""Landlock: file, process and TCP access by rules that a process gives itself (Linux 5.13 and later).

Files outside of the granted paths can be neither read nor written, processes outside can be neither traced nor
signalled, TCP is refused. https://docs.kernel.org/userspace-api/landlock.html
"""

from __future__ import annotations

import os
import struct

from . import kernel
from .plan import MOUNT, NETWORK, PID, ConfinementPlan

FIRST_WITH_TCP, FIRST_WITH_SIGNALS = 4, 6
OWN_PROCESS = "/proc/self"
ALL_PROCESSES = "/proc"
_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE, _READ, _READ_DIR, _REFER, _TRUNCATE, _IOCTL = (1 << bit for bit in (0, 1, 2, 3, 13, 14, 15))
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL


def version() -> int:
    """ABI version of the kernel's Landlock; 0 where there is none."""
    if not kernel.KNOWN:
        return 0
    try:
        return kernel.call("landlock_create_ruleset", None, 0, _VERSION)
    except OSError:
        return 0


def restrict(plan: ConfinementPlan) -> None:
    """Give up everything but the plan's paths, for this process and all that it starts. Raises OSError."""
    abi = plan.layers.landlock
    handled = (1 << 13) - 1
    for first, access in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL)):
        handled |= access if abi >= first else 0
    tcp = 3 if abi >= FIRST_WITH_TCP and not plan.layers.has(NETWORK) and not plan.network else 0
    scoped = 3 if abi >= FIRST_WITH_SIGNALS else 0
    size = 24 if abi >= FIRST_WITH_SIGNALS else 16 if abi >= FIRST_WITH_TCP else 8
    ruleset = kernel.call("landlock_create_ruleset", struct.pack("QQQ", handled, tcp, scoped), size, 0)
    for path in (*plan.readable, ALL_PROCESSES, *(("/etc", "/dev") if plan.layers.has(MOUNT) else ())):
        _allow(ruleset, path, (_EXECUTE | _READ | _READ_DIR) & handled)
    for path in (*plan.writable, *plan.devices, *_own_places(plan)):
        _allow(ruleset, path, handled)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.call("landlock_restrict_self", ruleset, 0)
    os.close(ruleset)


def _own_places(plan: ConfinementPlan) -> tuple[str, ...]:
    """Kernel file systems that are the trial's own, or so much of the machine's as is about itself."""
    shared_memory = ("/dev/shm",) if plan.layers.has(MOUNT) else ()  # noqa: S108 - a file system of its own
    if plan.layers.has(MOUNT, PID):
        return *shared_memory, ALL_PROCESSES
    if plan.gpus:  # an open directory keeps the inode that the rule is about
        os.set_inheritable(os.open(OWN_PROCESS, os.O_PATH), True)
        return *shared_memory, OWN_PROCESS
    return shared_memory


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what does not exist needs no rule
    try:
        allowed = access if os.path.isdir(path) else access & _OF_FILES  # noqa: PTH112
        kernel.call("landlock_add_rule", ruleset, _PATH_BENEATH, struct.pack("=Qi", allowed, place), 0)
    finally:
        os.close(place)
