"""What a process found out about its machine, for the processes that it starts: in their environment, nowhere else.

Trying out what the machine isolates takes a fifth of a second, and every Airflow task is a process of its own. A file
could be written by a trial on a machine that confines none; the environment of a task comes from its parents alone, and
none of it reaches a trial. What was found holds in the same place only: same boot, user, groups, rights and interpreter.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auto_benchmark.settings import process_environment

VARIABLE = "AUTO_BENCHMARK_OFFERED"
_SAID_BY = (
    "/proc/sys/kernel/random/boot_id", "/proc/sys/kernel/osrelease", "/proc/self/cgroup", "/proc/self/uid_map",
    "/proc/sys/user/max_user_namespaces", "/proc/sys/user/max_mnt_namespaces", "/proc/sys/user/max_pid_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone", "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
)  # fmt: skip
_RIGHTS = ("CapEff", "CapBnd", "NoNewPrivs", "Seccomp")
_NAMESPACES = ("mnt", "user", "pid", "cgroup")


def variables(found: Mapping[str, Any]) -> dict[str, str]:
    """What to add to the environment of processes that this one starts, so that they know ``found``."""
    return {VARIABLE: json.dumps({"place": place(), "found": found})}


def known() -> dict[str, Any] | None:
    """What a parent found in this very place; None where none did, or elsewhere."""
    try:
        said = json.loads(process_environment().get(VARIABLE, "null"))
        return dict(said["found"]) if said["place"] == place() else None
    except (ValueError, TypeError, KeyError):
        return None


def place() -> str:
    """Names everything on which the answer depends: it changes when one of these does."""
    status = _text("/proc/self/status").splitlines()
    rights = [line for line in status if line.split(":")[0] in _RIGHTS]
    said = [*map(_text, _SAID_BY), *rights, *map(_namespace, _NAMESPACES), sys.executable, __file__]
    said += [str(who) for who in (os.getresuid(), os.getresgid(), sorted(os.getgroups()))]
    return hashlib.sha256("\0".join(said).encode()).hexdigest()


def _text(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError:
        return ""


def _namespace(name: str) -> str:
    try:
        return str(Path(f"/proc/self/ns/{name}").readlink())
    except OSError:
        return ""
