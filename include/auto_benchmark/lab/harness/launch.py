"""Last step before a candidate's program: bounds it, closes its way to new processes, and becomes it.

``launch.py BOUNDS COMMAND…``, already confined. Limits are set here, not by the judge, for they would bound the
confinement as well.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import struct
import sys
from pathlib import Path

NO_RANDOM_ADDRESSES = 0x0040000
RESERVED = 1030
"""Descriptor of the counter's socket: among the twelve highest, which Valgrind refuses to the program that it runs."""
DESCRIPTORS = 1036
CLONE_THREAD = 0x10000
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
LOAD, EQUAL, ANY_BIT, RETURN, ALLOW, REFUSE = 0x20, 0x15, 0x45, 0x06, 0x7FFF0000, 0x00050001
CLONE = {"x86_64": 56, "aarch64": 220}
FORKS = {"x86_64": (57, 58), "aarch64": ()}
"""``fork`` and ``vfork``."""
CLONE3, NOT_IMPLEMENTED = 435, 0x00050026
"""Its flags cannot be seen; told that there is no such call, the C library calls ``clone``."""


class Program(ctypes.Structure):
    """``struct sock_fprog``."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def refuse_processes(libc: ctypes.CDLL) -> None:
    """Let threads be started and processes not: what a killed child did could not be counted."""
    machine = os.uname().machine
    code = [(LOAD, 0, 0, 0), (EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, NOT_IMPLEMENTED)]
    for number in FORKS[machine]:
        code += [(EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE)]
    code += [(EQUAL, 0, 3, CLONE[machine]), (LOAD, 0, 0, 16), (ANY_BIT, 1, 0, CLONE_THREAD)]
    code += [(RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    packed = b"".join(struct.pack("=HBBI", *each) for each in code)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    program = Program(len(code), packed)
    if libc.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "no filter of system calls can be set")


def bound(bounds: dict[str, float], libc: ctypes.CDLL) -> None:
    """Set the limits of this process."""
    seconds, size = int(bounds["seconds"]) + 1, int(bounds["file_mb"]) << 20
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    memory = int(bounds["memory_mb"]) << 20
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    stack = 8 << 20  # the top of it decides where a program's memory begins
    resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))
    libc.personality(NO_RANDOM_ADDRESSES)


def main() -> None:
    """Become the command."""
    bounds, command = json.loads(sys.argv[1]), sys.argv[2:]
    libc = ctypes.CDLL(None, use_errno=True)
    if (socket := bounds["socket"]) is not None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
        os.dup2(socket, RESERVED, inheritable=True)
        os.close(socket)
    bound(bounds, libc)
    if not bounds["forks"]:
        refuse_processes(libc)
    os.execvp(command[0], command)  # noqa: S606 - it is its purpose


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.stderr.write(f"{Path(sys.argv[2]).name}: {error.strerror}\n")
        sys.exit(127)
