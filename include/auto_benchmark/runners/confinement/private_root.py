"""A file tree that holds what a trial is granted, at the usual paths, and nothing else.

It is made as container engines make theirs: an empty file system in memory, the granted paths bound into it, and
``pivot_root(2)``. A service's socket, a terminal or another trial's folder is not forbidden there but absent.
"""

from __future__ import annotations

import os
import struct

from . import kernel
from .plan import PID, ConfinementPlan

BASE, OLD = "/tmp", "/.machine"  # noqa: S108 - any directory: it is covered in this namespace alone
_READ_ONLY, _NO_SETUID, _NO_DEVICES, _NO_EXECUTION = 1, 2, 4, 8
_BIND, _RECURSIVE, _PRIVATE = 4096, 16384, 1 << 18
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
SETTINGS = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs")
LINKS = {"/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0", "/dev/stdout": "/proc/self/fd/1",
         "/dev/stderr": "/proc/self/fd/2"}  # fmt: skip


def enter(plan: ConfinementPlan) -> None:
    """Make the tree and move into it. The machine's own is out of reach afterwards. Raises OSError."""
    working = os.getcwd()  # noqa: PTH109
    places, links = _places(plan)
    mask = os.umask(0o022)
    kernel.mount("none", "/", None, _RECURSIVE | _PRIVATE)
    kernel.mount("tmpfs", BASE, "tmpfs", _NO_SETUID | _NO_DEVICES, "mode=0755,size=4m,nr_inodes=16384")
    os.chdir(BASE)
    os.mkdir(BASE + OLD)  # noqa: PTH102
    kernel.call("pivot_root", b".", os.fsencode("." + OLD))
    os.chdir("/")
    for path, restrictions in places:
        _mount_point(path)
        kernel.mount(OLD + path, path, None, _BIND | _RECURSIVE)
        _protect(path, restrictions)
    for path, target in links:
        _link(path, target)
    _kernels_own(plan)
    _identity(plan)
    kernel.detach(OLD)
    os.rmdir(OLD)  # noqa: PTH106
    _protect("/", _READ_ONLY | _NO_SETUID | _NO_DEVICES, recursive=False)
    os.umask(mask)
    os.chdir(working)


def _places(plan: ConfinementPlan) -> tuple[list[tuple[str, int]], list[tuple[str, str]]]:
    """What is bound, outer places before inner ones, with each mount's restrictions; and links to it."""
    kinds = (
        (plan.readable, _READ_ONLY | _NO_SETUID | _NO_DEVICES), (plan.writable, _NO_SETUID | _NO_DEVICES),
        (plan.devices, _NO_SETUID | _NO_EXECUTION),
    )  # fmt: skip
    wanted, links = dict[str, int](), list[tuple[str, str]]()
    for paths, restrictions in kinds:
        for path in paths:
            real = os.path.realpath(path)
            if not path or real == "/" or not os.path.exists(real):  # noqa: PTH110
                continue
            wanted[real] = restrictions
            if real != path:
                links.append((path, real))
    bound = dict[str, int]()
    for path in sorted(wanted, key=lambda path: path.count("/")):
        around = next((bound[outer] for outer in _parents(path) if outer in bound), None)
        if around != wanted[path]:
            bound[path] = wanted[path]
    return list(bound.items()), sorted(links, key=lambda link: link[0].count("/"))


def _parents(path: str) -> list[str]:
    """From the nearest."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(len(parts) - 1, 1, -1)]


def _link(path: str, target: str) -> None:
    if not os.path.lexists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        os.symlink(target, path)  # noqa: PTH211


def _mount_point(path: str) -> None:
    if os.path.lexists(path):
        return
    if os.path.isdir(OLD + path):  # noqa: PTH112
        os.makedirs(path, exist_ok=True)  # noqa: PTH103
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


def _protect(path: str, restrictions: int, *, recursive: bool = True) -> None:
    attributes = struct.pack("QQQQ", restrictions, 0, 0, 0)  # the first four have the same numbers for both calls
    flags = _AT_RECURSIVE if recursive else 0
    kernel.call("mount_setattr", _AT_FDCWD, os.fsencode(path), flags, attributes, len(attributes))


def _kernels_own(plan: ConfinementPlan) -> None:
    """``/proc`` of the trial's own processes where it has any, and shared memory that ends with it."""
    os.makedirs("/proc", exist_ok=True)  # noqa: PTH103
    if plan.layers.has(PID):
        kernel.mount("proc", "/proc", "proc", _NO_SETUID | _NO_DEVICES | _NO_EXECUTION)
        for name in SETTINGS:  # which root may change though it has no powers
            if os.path.exists(name):  # noqa: PTH110
                kernel.mount(name, name, None, _BIND | _RECURSIVE)
                _protect(name, _READ_ONLY)
    else:
        kernel.mount(OLD + "/proc", "/proc", None, _BIND | _RECURSIVE)
    os.makedirs("/dev/shm", exist_ok=True)  # noqa: PTH103, S108
    kernel.mount("tmpfs", "/dev/shm", "tmpfs", _NO_SETUID | _NO_DEVICES, f"mode=1777,size={plan.memory_mb}m")  # noqa: S108
    for link, target in LINKS.items():
        _link(link, target)


def _identity(plan: ConfinementPlan) -> None:
    """A name for the user that the trial runs as: libraries ask for it."""
    user = os.geteuid() if plan.user is None else plan.user
    group = os.getegid() if plan.user is None else plan.user
    os.makedirs("/etc", exist_ok=True)  # noqa: PTH103
    for file, line in (("passwd", f"trial:x:{user}:{group}::/:/bin/sh\n"), ("group", f"trial:x:{group}:\n")):
        if not os.path.lexists(f"/etc/{file}"):
            with open(f"/etc/{file}", "w") as told:  # noqa: PTH123
                told.write(line)
