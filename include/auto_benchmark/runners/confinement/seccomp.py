"""System calls that a trial is refused, as a filter of the kernel's (``seccomp(2)``, classic BPF).

The filter is a list of refusals, not of permissions: whatever a solution's libraries need works. What is refused
either reaches outside of the trial although other layers hold (limits of other processes, exotic sockets, kernel
keys), or widens what a hostile trial can try against the kernel (namespaces, tracing, ``io_uring``, BPF).
"""

from __future__ import annotations

import ctypes
import errno
import struct

from . import kernel

ALWAYS_REFUSED = (
    "acct", "add_key", "adjtimex", "bpf", "chroot", "clock_adjtime", "clock_settime", "delete_module", "fanotify_init",
    "finit_module", "fsconfig", "fsmount", "fsopen", "fspick", "init_module", "io_uring_setup", "kcmp",
    "kexec_file_load", "kexec_load", "keyctl", "mount", "mount_setattr", "move_mount", "open_by_handle_at", "open_tree",
    "perf_event_open", "pidfd_getfd", "pivot_root", "process_madvise", "process_vm_readv", "process_vm_writev",
    "ptrace", "quotactl", "quotactl_fd", "reboot", "request_key", "setns", "settimeofday", "swapoff", "swapon",
    "syslog", "umount2", "unshare", "userfaultfd",
)  # fmt: skip
UNCOUNTED = (
    "inotify_init", "inotify_init1", "memfd_create", "memfd_secret", "msgget", "semget", "sendfile", "shmget", "splice",
    "tee", "vmsplice",
)  # fmt: skip
"""Refused where no control group counts memory: files without a name, queues, and whole pages that count as the few bytes
which are sent of them."""
SHARED_WITH_THE_MACHINE = (
    "shmget", "msgget", "semget", "mq_open", "mq_unlink", "shmat", "shmctl", "msgsnd", "msgrcv", "msgctl", "semop",
    "semtimedop", "semctl",
)  # fmt: skip
"""Refused without a namespace of the trial's own for them: whoever knows a number needs no call that finds it."""
OF_ITSELF = {
    "sched_setaffinity": {0: 0}, "sched_setattr": {0: 0}, "sched_setparam": {0: 0}, "sched_setscheduler": {0: 0},
    "migrate_pages": {0: 0}, "move_pages": {0: 0}, "setpriority": {0: 0, 1: 0}, "ioprio_set": {0: 1, 1: 0},
}  # fmt: skip
"""Calls that change a process or a group of them, with the arguments by which it is the caller itself."""
SESSIONS = ("setsid", "setpgid")
UNIX, INTERNET, INTERNET_6, NETLINK = 1, 2, 10, 16
STREAM, DATAGRAM = 1, 2
KINDS_OF_SOCKET = 0xF
"""Bits of a socket's type that say its kind; the others are flags."""
COUNTED_PROTOCOLS = (0, 6, 17)
"""TCP and UDP, whose sockets the kernel lists: 0 is the usual one of streams and of datagrams, of no other kind."""

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
NEW_NAMESPACES = 0x7E020000
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_AND, _SEQUENCE = 0x54, 5
_MODE_FILTER = 2
_THREAD, _SAME_FILES, _OWN_FILES = 0x10000, 0x400, 2
_OF_SOCKETS, _SEND_BUFFER, _PIPE_SIZE = 1, 7, 1031
_PROGRAMS = (26, 50, 51, 52)
"""SO_ATTACH_FILTER and the like: up to 64 KiB of a socket, which no look at it shows."""
_LOCKS_OF_NO_PROCESS = (37, 38)
"""F_OFD_SETLK and F_OFD_SETLKW: the kernel does not say whose they are, and control groups count no locks."""
_SHARED_NAMELESS = 0x21
"""MAP_SHARED and MAP_ANONYMOUS: such pages stay when each process has given back its own view of them."""
Instruction = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def program(
    *,
    families: tuple[int, ...],
    may_connect: bool,
    own_tree: bool,
    memory_counts: bool,
    passes_descriptors: bool,
    own_ipc: bool,
    own_processes: bool,
    own_sessions: bool,
) -> bytes:
    """The filter's instructions.

    Args:
        families: address families of sockets that may be made, besides those of Unix.
        may_connect: whether sockets lead anywhere where the tree is not its own; those of Unix cannot be made then, since
            a filter does not see which socket is connected.
        own_tree: whether no service of the machine has its socket in the trial's file tree. Elsewhere Unix sockets can
            be made, which CUDA does (driver 580, or it finds no device), but lead nowhere.
        memory_counts: whether all that the kernel keeps for the trial counts. Elsewhere only what can be seen from outside
            may be, and in its usual size: a send buffer stays as it is though the trial is told otherwise.
        passes_descriptors: whether open files may be sent in messages, where no process holds them.
        own_ipc: whether shared memory and message queues are the trial's own.
        own_processes: whether no process outside can be named.
        own_sessions: whether the trial may make sessions and process groups. Elsewhere it is told that it has.
    """
    refused = [*ALWAYS_REFUSED]
    refused += () if memory_counts else UNCOUNTED
    refused += () if passes_descriptors else ("sendmsg", "sendmmsg")
    refused += () if own_ipc else SHARED_WITH_THE_MACHINE
    code: list[Instruction] = [
        _load(4), (_EQUAL, 1, 0, _ARCHITECTURES[kernel.MACHINE]), _refuse(errno.ENOSYS),
        _load(0), (_AT_LEAST, 0, 1, _X32), _refuse(errno.ENOSYS),
    ]  # fmt: skip
    for name in dict.fromkeys(refused):
        code += _on(name, [_refuse(errno.EPERM)])
    code += _on("clone3", [_refuse(errno.ENOSYS)])  # its flags cannot be seen; the C library then calls clone
    code += _on("clone", [
        _argument(0), (_ANY_BIT, 0, 1, NEW_NAMESPACES), _refuse(errno.EPERM),
        (_AND, 0, 0, _THREAD | _SAME_FILES), (_EQUAL, 0, 1, _THREAD), _refuse(errno.EPERM), _allow(),
    ])  # fmt: skip
    code += _on("close_range", [_argument(2), (_ANY_BIT, 0, 1, _OWN_FILES), _refuse(errno.EPERM), _allow()])
    code += _on("prlimit64", _only_with({0: 0}))
    no_locks = [step for lock in _LOCKS_OF_NO_PROCESS for step in ((_EQUAL, 0, 1, lock), _refuse(errno.EINVAL))]
    no_larger_pipes = [] if memory_counts else [(_EQUAL, 0, 1, _PIPE_SIZE), _refuse(errno.EPERM)]
    code += _on("fcntl", [_argument(1), *no_locks, *no_larger_pipes, _allow()])
    outside = may_connect and not own_tree
    only_streams = [] if own_tree and memory_counts else _only_streams()
    of_internet = [] if memory_counts else _only_counted_protocols()
    code += _on("socket", [
        *_if_family(UNIX, only_streams), *_if_family(INTERNET, of_internet), *_if_family(INTERNET_6, of_internet),
        *_families(families if outside else (UNIX, *families)),
    ])  # fmt: skip
    code += _on("socketpair", [*only_streams, *_families((UNIX,))])
    if not own_tree and not outside:
        code += _on("connect", [_refuse(errno.ECONNREFUSED)])
    if not memory_counts:
        code += _on("setsockopt", [
            _argument(1), (_EQUAL, 1, 0, _OF_SOCKETS), _allow(),
            _argument(2), (_EQUAL, 0, 1, _SEND_BUFFER), _refuse(0),
            *(step for program in _PROGRAMS for step in ((_EQUAL, 0, 1, program), _refuse(errno.EPERM))), _allow(),
        ])  # fmt: skip
        code += _on("mmap", [
            _argument(3), (_AND, 0, 0, _SHARED_NAMELESS), (_EQUAL, 0, 1, _SHARED_NAMELESS), _refuse(errno.EPERM), _allow(),
        ])  # fmt: skip
    if not own_processes:
        for name, itself in OF_ITSELF.items():
            code += _on(name, _only_with(itself))
    if not own_sessions:
        for name in SESSIONS:
            code += _on(name, [_refuse(0)])  # success in name only: all stay in the one group that is killed at once
    code.append(_allow())
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def install(instructions: bytes) -> None:
    """Filter this process and all that it starts. No way back. Raises OSError."""
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl_pointer(kernel.PR_SET_SECCOMP, _MODE_FILTER, _Program(len(instructions) // 8, instructions))


def _load(offset: int) -> Instruction:
    return _LOAD, 0, 0, offset


def _argument(index: int) -> Instruction:
    """Load the lower word of an argument; nothing that is compared here is longer."""
    return _load(16 + 8 * index)


def _refuse(code: int) -> Instruction:
    return _RETURN, 0, 0, _ERRNO | code


def _allow() -> Instruction:
    return _RETURN, 0, 0, _ALLOW


def _on(name: str, then: list[Instruction]) -> list[Instruction]:
    return [(_EQUAL, 0, len(then), kernel.number(name)), *then]


def _families(allowed: tuple[int, ...]) -> list[Instruction]:
    checks = [instruction for family in allowed for instruction in ((_EQUAL, 0, 1, family), _allow())]
    return [_argument(0), *checks, _refuse(errno.EPERM)]


def _only_streams() -> list[Instruction]:
    """What is sent through one goes where it is connected to; a datagram may name its receiver itself."""
    return _only_kinds(STREAM, _SEQUENCE)


def _only_kinds(one: int, other: int) -> list[Instruction]:
    return [
        _argument(1), (_AND, 0, 0, KINDS_OF_SOCKET), (_EQUAL, 2, 0, one), (_EQUAL, 1, 0, other), _refuse(errno.EPERM)
    ]  # fmt: skip


def _if_family(family: int, steps: list[Instruction]) -> list[Instruction]:
    return [_argument(0), (_EQUAL, 0, len(steps), family), *steps] if steps else []


def _only_counted_protocols() -> list[Instruction]:
    last = len(COUNTED_PROTOCOLS)
    allowed = [(_EQUAL, last - place, 0, protocol) for place, protocol in enumerate(COUNTED_PROTOCOLS)]
    return [*_only_kinds(STREAM, DATAGRAM), _argument(2), *allowed, _refuse(errno.EPERM)]


def _only_with(wanted: dict[int, int]) -> list[Instruction]:
    checks = [
        step
        for index, value in wanted.items()
        for step in (_argument(index), (_EQUAL, 1, 0, value), _refuse(errno.EPERM))
    ]
    return [*checks, _allow()]
