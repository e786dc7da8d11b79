"""Control groups: the kernel's own count and bound of a trial's memory, processes and processor time.

Version 1 where the controllers sit there, version 2 where they are delegated to this user: its own group or the one
around it can be divided (a service with ``Delegate=yes``, a scope of the user's systemd).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from auto_benchmark.runners.runner import EnvironmentFaultError

PREFIX = "auto-benchmark-"
MEMORY, PIDS, PROCESSOR, PRESSURE = "memory", "pids", "cpu", "pressure"
NAMES_IN_VERSION_1 = {MEMORY: "memory", PIDS: "pids", PROCESSOR: "cpuacct"}
SOCKET_LIMIT, SOCKET_USAGE = "memory.kmem.tcp.limit_in_bytes", "memory.kmem.tcp.usage_in_bytes"
"""Of TCP and UDP: https://docs.kernel.org/admin-guide/cgroup-v1/memory.html"""
KERNEL_USAGE = "memory.kmem.usage_in_bytes"
KERNELS_SHARE_MB = 64
"""What the kernel may hold for a trial (page tables, stacks, caches) before it counts as the trial's: a hoard of data in
pipes and sockets does."""
END_SECONDS = 5.0
OWN_TASKS = 4
"""Tasks of the entrypoint and the confinement, which count as the trial's."""


@dataclass(frozen=True)
class Usage:
    """What a trial uses now, or has used.

    Attributes:
        memory_mb: without what the kernel only caches, with what it holds in sockets and pipes, MiB; None where it is
            not counted.
        cpu_s: since the start; None where it is not counted.
        killed_for_memory: processes.
        refused_processes: how often the bound was met.
        processes: ids of those that run now.
        waited_s: how long at least one of its tasks was ready to run and had no processor, since the start; None where
            it is not counted (https://docs.kernel.org/accounting/psi.html).
    """

    memory_mb: float | None = None
    cpu_s: float | None = None
    killed_for_memory: int = 0
    refused_processes: int = 0
    processes: frozenset[int] = frozenset()
    waited_s: float | None = None


@dataclass(frozen=True)
class Places:
    """Where groups can be made: controller -> directory.

    Attributes:
        version: 1, 2, or 0 where there are none.
    """

    version: int
    directories: dict[str, Path]

    def counts(self, controller: str) -> bool:
        """Whether the kernel does this for trials of this machine."""
        return controller in self.directories


@cache
def places() -> Places:
    """What this machine lets this process use, by making groups and removing them again."""
    mounts, own = _mounts(), _own_groups()
    first = {
        controller: directory
        for controller, name in NAMES_IN_VERSION_1.items()
        if name in mounts and name in own and _usable(directory := _directory(mounts[name], own[name]))
    }
    if MEMORY in first or PIDS in first:
        return Places(1, first | _pressure(mounts, own))
    if "" in mounts and "" in own:
        group = _directory(mounts[""], own[""])
        _divide(group)
        found = {directory: _delegated(directory) for directory in (group, group.parent)}
        best = max(found, key=lambda directory: len(found[directory]))
        if found[best]:
            return Places(2, dict.fromkeys(found[best], best))
    return Places(1, first) if first else Places(0, {})


def _pressure(mounts: dict[str, tuple[Path, str]], own: dict[str, str]) -> dict[str, Path]:
    """Version 1 does not count waiting; where version 2 is mounted beside it, a group there does, without controllers."""
    if "" in mounts and "" in own and _usable(directory := _directory(mounts[""], own[""])):
        return {PRESSURE: directory}
    return {}


def _mounts() -> dict[str, tuple[Path, str]]:
    """Controller of version 1, or "" for version 2 -> mount point and what of the hierarchy is mounted there."""
    found = dict[str, tuple[Path, str]]()
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
            before, _, after = line.partition(" - ")
            root, point = before.split()[3:5]
            kind, _, options = after.split()[:3]
            names = options.split(",") if kind == "cgroup" else [""] if kind == "cgroup2" else []
            found |= {name: (Path(point), root) for name in names}
    return found


def _own_groups() -> dict[str, str]:
    found = dict[str, str]()
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, names, path = line.split(":", 2)
            found |= dict.fromkeys(names.split(","), path)
    return found


def _directory(mount: tuple[Path, str], group: str) -> Path:
    point, root = mount
    inside = group.removeprefix(root) if root != "/" and group.startswith(root) else group if root == "/" else ""
    return point / inside.lstrip("/")


def _usable(directory: Path) -> bool:
    return _with_trial_group(directory) is not None


def _divide(group: Path) -> None:
    """Let groups below our own have controllers, where the kernel allows it: not while it holds processes itself."""
    for controller in (MEMORY, PIDS):
        with contextlib.suppress(OSError):
            (group / "cgroup.subtree_control").write_text(f"+{controller}")


def _delegated(directory: Path) -> list[str]:
    """What the kernel does for a group below this one; every group has its processor time and its waiting counted."""
    found = _with_trial_group(directory)
    return [PROCESSOR, PRESSURE, *(name for name in (MEMORY, PIDS) if name in found)] if found is not None else []


def _with_trial_group(directory: Path) -> list[str] | None:
    """Controllers of a group made below and entered by a process; None where that cannot be done."""
    group = directory / _new_name()
    try:
        group.mkdir()
        try:
            _enter_and_leave(group)
            controllers = group / "cgroup.controllers"
            return controllers.read_text(encoding="utf-8").split() if controllers.exists() else []
        finally:
            _remove(group)
    except OSError:
        return None


def _enter_and_leave(group: Path) -> None:
    """Let a process enter that ends at once. Raises OSError where none may."""
    entering = ["sh", "-c", 'echo 0 >"$1/cgroup.procs"', "sh", str(group)]
    if subprocess.run(entering, check=False, capture_output=True).returncode:  # noqa: S603
        raise PermissionError(f"{group}: no process may enter")


def _new_name() -> str:
    return f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"


class TrialGroup:
    """The groups of one trial, one in each hierarchy.

    Args:
        where: from :func:`places`.
        memory_mb: bound, MiB.
        pids: bound on processes and threads.

    Raises:
        EnvironmentFaultError: when they cannot be made.
    """

    def __init__(self, where: Places, *, memory_mb: int, pids: int) -> None:
        self.version = where.version
        name = _new_name()
        self._at = {controller: directory / name for controller, directory in where.directories.items()}
        try:
            for directory in set(where.directories.values()):
                _remove_stale(directory)
                (directory / name).mkdir()
            self._bound(memory_mb * 2**20, pids + OWN_TASKS)
        except OSError as error:
            self.remove()
            raise EnvironmentFaultError(f"no control group can be made for the trial: {error}") from error

    @property
    def directories(self) -> tuple[str, ...]:
        """Every group that the trial must enter."""
        return tuple(sorted({str(group) for group in self._at.values()}))

    def _bound(self, memory: int, pids: int) -> None:
        if group := self._at.get(MEMORY):
            (group / ("memory.limit_in_bytes" if self.version == 1 else "memory.max")).write_text(str(memory))
            for name, most in (("memory.memsw.limit_in_bytes", memory), ("memory.swap.max", 0)):
                if (group / name).exists():  # where the kernel counts what is swapped out
                    (group / name).write_text(str(most))
            if (group / SOCKET_LIMIT).exists():  # version 1 counts TCP and UDP only where they are bounded, and apart
                (group / SOCKET_LIMIT).write_text(str(memory))
        if group := self._at.get(PIDS):
            (group / "pids.max").write_text(str(pids))

    def usage(self) -> Usage:
        """What the kernel counts now."""
        memory, pids, processor = (self._at.get(name) for name in (MEMORY, PIDS, PROCESSOR))
        return Usage(
            memory_mb=self._memory_mb(memory) if memory else None,
            cpu_s=self._cpu_s(processor) if processor else None,
            killed_for_memory=_table(memory, "memory.oom_control", "memory.events").get("oom_kill", 0),
            refused_processes=_table(pids, "pids.events").get("max", 0),
            processes=frozenset(self.processes()),
            waited_s=self._waited_s(),
        )

    def _memory_mb(self, group: Path) -> float:
        counted = _table(group, "memory.stat")
        if self.version == 1:
            used = counted.get("total_rss", 0) + counted.get("total_shmem", 0) + _number(group / SOCKET_USAGE)
            kernels = _number(group / KERNEL_USAGE)
        else:
            used = counted.get("anon", 0) + counted.get("shmem", 0) + counted.get("sock", 0)
            kernels = counted.get("kernel", 0) - counted.get("slab_reclaimable", 0)
        return used / 2**20 + max(0.0, kernels / 2**20 - KERNELS_SHARE_MB)

    def _cpu_s(self, group: Path) -> float | None:
        if self.version == 1:
            with contextlib.suppress(OSError, ValueError):
                return int((group / "cpuacct.usage").read_text()) / 1e9
            return None
        microseconds = _table(group, "cpu.stat").get("usage_usec")
        return None if microseconds is None else microseconds / 1e6

    def _waited_s(self) -> float | None:
        group = self._at.get(PRESSURE)
        return None if group is None else waited_s(group / "cpu.pressure")

    def end(self) -> bool:
        """Kill every process in it; none can be started meanwhile. Returns whether nothing is left."""
        if group := self._at.get(PIDS):
            with contextlib.suppress(OSError):
                (group / "pids.max").write_text("0")
        deadline = time.monotonic() + END_SECONDS
        while processes := self.processes():
            for group in self._at.values():
                with contextlib.suppress(OSError):
                    (group / "cgroup.kill").write_text("1")
            for process in processes:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005)
        return True

    def processes(self) -> set[int]:
        """Ids of the processes in it now."""
        found = set[int]()
        for group in self._at.values():
            with contextlib.suppress(OSError):
                found |= {int(number) for number in (group / "cgroup.procs").read_text().split()}
        return found - {0}

    def remove(self) -> None:
        """Remove the groups; one that still holds a process is left for the next trial to remove."""
        for group in set(self._at.values()):
            with contextlib.suppress(OSError):
                _remove(group)


@contextlib.contextmanager
def trial_group(where: Places, *, memory_mb: int, pids: int) -> Iterator[TrialGroup | None]:
    """Groups for one trial, removed afterwards; None where the machine has none."""
    if not where.version:
        yield None
        return
    group = TrialGroup(where, memory_mb=memory_mb, pids=pids)
    try:
        yield group
    finally:
        group.end()
        group.remove()


def waited_s(pressure: Path) -> float | None:
    """The total of a file of processor pressure, s; None where the kernel counts none."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(pressure.read_text(encoding="ascii").split("total=")[1].split()[0]) / 1e6
    return None


def _number(file: Path) -> int:
    """The number in a file; 0 where there is none."""
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0


def _table(group: Path | None, *names: str) -> dict[str, int]:
    """Lines of name and number from the first of these files that exists."""
    for name in names if group else ():
        with contextlib.suppress(OSError):
            rows = (line.split() for line in (group / name).read_text(encoding="utf-8").splitlines())  # type: ignore[operator]
            return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}
    return {}


def _remove(group: Path) -> None:
    """Remove a group; what has just ended in it may take the kernel a moment."""
    for _ in range(20):
        try:
            group.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.005)
    group.rmdir()


def _remove_stale(directory: Path) -> None:
    """Remove groups of runners that were killed: what they held has ended with them."""
    for group in directory.glob(f"{PREFIX}*"):
        owner = group.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdigit() and not Path("/proc", owner).exists():
            with contextlib.suppress(OSError):
                group.rmdir()
