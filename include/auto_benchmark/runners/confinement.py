"""Confines a local trial with what an unprivileged Linux process may ask of the kernel. Standard library only.

``python confinement.py READABLE... -- WRITABLE... -- COMMAND...`` gives up everything else and becomes the command:

- Landlock (kernel 5.13 and later; https://docs.kernel.org/userspace-api/landlock.html): files outside of the named
  paths can be neither read nor written, processes outside can be neither traced nor signalled, and TCP is refused.
- A network namespace of its own, where the kernel lets this user make one, takes away all other networks too.
- Root loses every capability but those over files.

CUDA names its threads by writing to ``/proc/self/task/*/comm`` and finds no device where it may not (driver 580):
:data:`OWN_PROCESS` among the writable paths allows that much of ``/proc``, for the command's own process alone.

What the kernel does not offer is left out; :func:`missing` says what that is.
"""

import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import struct
import sys

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_PR_SET_NO_NEW_PRIVS, _PR_CAPBSET_DROP, _PR_SET_PDEATHSIG = 38, 24, 1
_MOST_CAPABILITIES = 64
_OVER_FILES = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_EXECUTE, _WRITE, _READ, _READ_DIR, _REFER, _TRUNCATE, _IOCTL = (1 << bit for bit in (0, 1, 2, 3, 13, 14, 15))
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1
FIRST_WITH_TCP, FIRST_WITH_SIGNALS = 4, 6
OWN_PROCESS = "/proc/self"
EXIT_ENVIRONMENT = 78

_libc = ctypes.CDLL(None, use_errno=True)


def landlock_version() -> int:
    """ABI version of the kernel's Landlock; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, 0, _VERSION)))


def missing() -> tuple[str, ...]:
    """What a confined local trial can still do here, in words for a person."""
    version = landlock_version()
    found = ["disk space", "Unix sockets"]
    if version == 0:
        found.append("file system")
    if version < FIRST_WITH_SIGNALS:
        found.append("other processes of the same user")
    if version < FIRST_WITH_TCP:
        found.append("network, unless namespaces are allowed")
    return tuple(found)


def confine(readable: list[str], writable: list[str]) -> None:
    """Give up everything but these paths, for this process and all that it starts. No way back."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError):
        _leave_networks()
    version = landlock_version()
    if version:
        if OWN_PROCESS in writable:  # an open directory keeps the inode that the rule is about
            os.set_inheritable(os.open(OWN_PROCESS, os.O_PATH), True)
        _restrict_files(version, readable, writable)
    _drop_capabilities()


def _leave_networks() -> None:
    """Move to a network namespace with nothing but a loopback device."""
    user, group = os.getuid(), os.getgid()
    if _libc.unshare(_NEW_NETWORK) != 0:
        _check(_libc.unshare(_NEW_USER | _NEW_NETWORK))
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123
                file.write(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))


def _drop_capabilities() -> None:
    """Leave root no power but over files, which Landlock bounds: it could set the clock or read others' memory."""
    for capability in range(_MOST_CAPABILITIES):
        if capability not in _OVER_FILES:
            _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # refused to anybody else, who has nothing to drop


def _restrict_files(version: int, readable: list[str], writable: list[str]) -> None:
    handled = (1 << 13) - 1
    for first, access in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL)):
        handled |= access if version >= first else 0
    tcp = 3 if version >= FIRST_WITH_TCP else 0
    scoped = 3 if version >= FIRST_WITH_SIGNALS else 0
    attributes = struct.pack("QQQ", handled, 0 if _has_own_network() else tcp, scoped)
    size = 24 if version >= FIRST_WITH_SIGNALS else 16 if version >= FIRST_WITH_TCP else 8
    ruleset = _check(_libc.syscall(_CREATE_RULESET, attributes, size, 0))
    for paths, access in ((readable, _EXECUTE | _READ | _READ_DIR), (writable, handled)):
        for path in paths:
            _allow(ruleset, path, access & handled)
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _check(_libc.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _has_own_network() -> bool:
    return {name for _, name in socket.if_nameindex()} <= {"lo", "sit0", "tunl0", "ip6tnl0"}


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what does not exist needs no rule
    allowed = access if os.path.isdir(path) else access & _OF_FILES  # noqa: PTH112
    _check(_libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", allowed, place), 0))
    os.close(place)


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def main() -> None:
    """Confine and become the command."""
    first = sys.argv.index("--")
    second = sys.argv.index("--", first + 1)
    confine(sys.argv[1:first], sys.argv[first + 1 : second])
    if sys.platform == "linux":
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # forgotten where a new user namespace gave new powers
    command = sys.argv[second + 1 :]
    try:
        os.execvp(command[0], command)  # noqa: S606 - it is its purpose
    except OSError as error:
        sys.stderr.write(f"confinement: cannot start {command[0]}: {error.strerror}\n")
        sys.exit(EXIT_ENVIRONMENT)


if __name__ == "__main__":
    main()
