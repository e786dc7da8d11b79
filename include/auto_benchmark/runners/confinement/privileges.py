"""Gives up the runner's user, powers and unbounded processes."""

from __future__ import annotations

import ctypes
import os
import resource

from . import kernel
from .plan import MOUNT, USER, ConfinementPlan

FIRST_USER, LAST_USER = 61_184, 65_519
"""Numbers that systemd sets aside for users who exist only while something runs (``DynamicUser=``)."""
OWN_TASKS = 4
"""Processes and threads of the confinement and the entrypoint, which count as the trial's."""
MOST_OPEN_FILES = 4096
"""Of a process, where no control group counts what the kernel keeps for each; messages hold as many at most for a user."""
_READ_ANY_FILE, _SEE_PROCESSES, _MOST_CAPABILITIES, _CAP_VERSION = 2, 19, 64, 0x20080522
"""CAP_DAC_READ_SEARCH and CAP_SYS_PTRACE."""
_AMBIENT_RAISE = 2


def drop(plan: ConfinementPlan) -> None:
    """Become the trial's user, without powers. Raises OSError.

    Root's trials read what root may read, within the granted paths, though they are another user: a solution's folder
    may be closed to everybody else. Only where other layers bound that reading.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not plan.memory_counts:
        most = min(MOST_OPEN_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, resource.getrlimit(resource.RLIMIT_NOFILE)[0]), most))
    counted_apart = plan.user is not None or USER in plan.layers.namespaces  # the limit is one of a user
    if counted_apart and not plan.bounds_processes:
        most = plan.pids + OWN_TASKS
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
    reads = plan.user is not None and plan.layers.own_user_reads_all
    kept = [_READ_ANY_FILE] if reads and _has(_READ_ANY_FILE) else []
    _drop_bounding_set(kept)
    if plan.user is None:
        return
    if kept:
        kernel.prctl(kernel.PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(plan.user, plan.user, plan.user)
    os.setresuid(plan.user, plan.user, plan.user)
    if kept:
        _set_capabilities(kept)
        kernel.prctl(kernel.PR_CAP_AMBIENT, _AMBIENT_RAISE, _READ_ANY_FILE)
    elif not plan.layers.has(MOUNT):
        _check_ways(plan)


def _check_ways(plan: ConfinementPlan) -> None:
    """Raises PermissionError with the first granted path that this user cannot get to."""
    for path in (*plan.readable, *plan.writable):
        try:
            os.stat(path)  # noqa: PTH116
        except FileNotFoundError:
            continue


def sees_other_users() -> bool:
    """Whether this process may look at the open files of other users' processes."""
    return _has(_SEE_PROCESSES)


def _drop_bounding_set(kept: list[int]) -> None:
    for capability in range(_MOST_CAPABILITIES):
        if capability not in kept:
            try:
                kernel.prctl(kernel.PR_CAPBSET_DROP, capability)
            except OSError:  # there is no such capability, or this user has none to drop
                continue


def _has(capability: int) -> bool:
    with open("/proc/self/status") as status:  # noqa: PTH123
        effective = next(line for line in status if line.startswith("CapEff:"))
    return bool(int(effective.split()[1], 16) >> capability & 1)


def _set_capabilities(kept: list[int]) -> None:
    header = (ctypes.c_uint32 * 2)(_CAP_VERSION, 0)
    word = sum(1 << capability for capability in kept)
    data = (ctypes.c_uint32 * 6)(word, word, word, 0, 0, 0)
    if ctypes.CDLL(None, use_errno=True).capset(header, data) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
