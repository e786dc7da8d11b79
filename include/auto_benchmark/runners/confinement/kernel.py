"""System calls that Python has no function for. Errors are raised as OSError."""

from __future__ import annotations

import ctypes
import os
import sys

MACHINE = os.uname().machine
SYSTEM_CALLS: dict[str, tuple[int, int]] = {
    "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171), "bpf": (321, 280), "chroot": (161, 51),
    "clock_adjtime": (305, 266), "clock_settime": (227, 112), "clone": (56, 220), "clone3": (435, 435),
    "close_range": (436, 436), "connect": (42, 203), "delete_module": (176, 106), "fanotify_init": (300, 262),
    "fcntl": (72, 25), "finit_module": (313, 273), "fsconfig": (431, 431), "fsmount": (432, 432), "fsopen": (430, 430),
    "fspick": (433, 433), "init_module": (175, 105), "inotify_init": (253, 26), "inotify_init1": (294, 26),
    "io_uring_setup": (425, 425), "ioprio_set": (251, 30), "kcmp": (312, 272), "kexec_file_load": (320, 294),
    "kexec_load": (246, 104), "keyctl": (250, 219), "landlock_add_rule": (445, 445),
    "landlock_create_ruleset": (444, 444), "landlock_restrict_self": (446, 446), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "migrate_pages": (256, 238), "mmap": (9, 222), "mount": (165, 40),
    "mount_setattr": (442, 442), "move_mount": (429, 429), "move_pages": (279, 239), "mq_open": (240, 180),
    "mq_unlink": (241, 181), "msgctl": (71, 187), "msgget": (68, 186), "msgrcv": (70, 188), "msgsnd": (69, 189),
    "open_by_handle_at": (304, 265), "open_tree": (428, 428), "perf_event_open": (298, 241), "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41), "prlimit64": (302, 261), "process_madvise": (440, 440), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "ptrace": (101, 117), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "reboot": (169, 142), "request_key": (249, 218), "sched_setaffinity": (203, 122), "sched_setattr": (314, 274),
    "sched_setparam": (142, 118), "sched_setscheduler": (144, 119), "semctl": (66, 191), "semget": (64, 190),
    "semop": (65, 193), "semtimedop": (220, 192), "sendfile": (40, 71), "sendmmsg": (307, 269), "sendmsg": (46, 211),
    "setns": (308, 268), "setpgid": (109, 154), "setpriority": (141, 140), "setsid": (112, 157),
    "setsockopt": (54, 208), "settimeofday": (164, 170), "shmat": (30, 196), "shmctl": (31, 195), "shmget": (29, 194),
    "socket": (41, 198), "socketpair": (53, 199), "splice": (275, 76), "swapoff": (168, 225), "swapon": (167, 224),
    "syslog": (103, 116), "tee": (276, 77), "umount2": (166, 39), "unshare": (272, 97), "userfaultfd": (323, 282),
    "vmsplice": (278, 75),
}  # fmt: skip
"""Name -> number on x86-64 and on 64-bit ARM (``asm/unistd_64.h`` and ``asm-generic/unistd.h`` of Linux 6.1)."""
COLUMNS = {"x86_64": 0, "aarch64": 1}
KNOWN = sys.platform == "linux" and MACHINE in COLUMNS

PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_KEEPCAPS = 1, 24, 8
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_SET_CHILD_SUBREAPER = 22, 38, 47, 36

_libc = ctypes.CDLL(None, use_errno=True)
if sys.platform == "linux":
    _libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    _libc.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]


def number(name: str) -> int:
    """Number of a system call on this machine. KeyError on machines that are not known."""
    return SYSTEM_CALLS[name][COLUMNS[MACHINE]]


def call(name: str, *arguments: int | bytes | None) -> int:
    """Make a system call; integers are passed as whole words. Raises OSError."""
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _check(int(_libc.syscall(ctypes.c_long(number(name)), *words)))


def prctl(option: int, first: int = 0, second: int = 0, third: int = 0) -> int:
    """``prctl(2)``. Raises OSError."""
    return _check(int(_libc.prctl(option, first, second, third, 0)))


def prctl_pointer(option: int, first: int, structure: ctypes.Structure) -> int:
    """``prctl(2)`` with the address of a structure as its third argument. Raises OSError."""
    return prctl(option, first, ctypes.addressof(structure))


def unshare(flags: int) -> None:
    """``unshare(2)``. Raises OSError."""
    _check(int(_libc.unshare(flags)))


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """``mount(2)``. Raises OSError."""
    words = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    _check(int(_libc.mount(words[0], words[1], words[2], flags, words[3])))


def detach(target: str) -> None:
    """Unmount with everything below it, for this namespace. Raises OSError."""
    _check(int(_libc.umount2(os.fsencode(target), 2)))


def start_loopback() -> None:
    """Bring up the loopback device of this network namespace. Raises OSError."""
    internet, datagram, set_flags, up = 2, 2, 0x8914, 1
    control = _check(int(_libc.socket(internet, datagram, 0)))
    try:
        request = b"lo".ljust(16, b"\0") + up.to_bytes(2, sys.byteorder) + bytes(22)
        _check(int(_libc.ioctl(control, ctypes.c_ulong(set_flags), request)))
    finally:
        os.close(control)


def _check(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
