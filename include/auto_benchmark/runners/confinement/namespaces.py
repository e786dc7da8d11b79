"""Namespaces of a trial's own (``namespaces(7)``)."""

from __future__ import annotations

import os

from . import kernel
from .plan import IPC, MOUNT, NAME, NETWORK, PID, USER

_FLAGS = {
    MOUNT: 0x00020000, NAME: 0x04000000, IPC: 0x08000000, USER: 0x10000000, PID: 0x20000000, NETWORK: 0x40000000,
}  # fmt: skip


def enter(names: tuple[str, ...]) -> None:
    """Leave the machine's namespaces for new ones; that of processes is entered by the next child. Raises OSError."""
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(sum(_FLAGS[name] for name in set(names)))
    if USER in names:
        for file, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{file}", "w") as told:  # noqa: PTH123 - pathlib takes 10 ms to import
                told.write(text)
    if NETWORK in names:
        kernel.start_loopback()
