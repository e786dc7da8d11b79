"""Runs a command as on a machine that offers less: ``python lesser_machine.py JSON COMMAND...``.

What the machine lacks is refused by the kernel, as there: by a seccomp filter (``landlock``, ``namespaces``,
``seccomp``) or by an empty file system (``cgroups``). ``user`` makes the command that user's, with ``own`` handed
over to it. Needs root for everything but ``landlock``, ``namespaces`` and ``seccomp``.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":  # a test that imports this has its own path, which stays as it is
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "include"))

from auto_benchmark.runners.confinement import kernel, seccomp

NO_LANDLOCK = ("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self")
NO_NAMESPACES = ("unshare", "setns", "mount", "pivot_root", "mount_setattr")
RECURSIVE, PRIVATE, BIND, READ_ONLY = 16384, 1 << 18, 4096, 1


def filter_of(lacks: list[str]) -> bytes:
    import struct

    code = [seccomp._load(0)]
    if "landlock" in lacks:
        for name in NO_LANDLOCK:
            code += seccomp._on(name, [seccomp._refuse(errno.ENOSYS)])
    if "namespaces" in lacks:
        for name in NO_NAMESPACES:
            code += seccomp._on(name, [seccomp._refuse(errno.EPERM)])
    if "seccomp" in lacks:
        prctl = {"x86_64": 157, "aarch64": 167}[kernel.MACHINE]
        checks = [seccomp._argument(0), (seccomp._EQUAL, 0, 1, kernel.PR_SET_SECCOMP), seccomp._refuse(errno.EINVAL)]
        code += [(seccomp._EQUAL, 0, len(checks) + 1, prctl), *checks, seccomp._allow()]
    code.append(seccomp._allow())
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def open_the_way_to(path: Path) -> None:
    """Make an interpreter in a closed home reachable: the home is covered by a tree that holds the interpreter alone."""
    closed = next((p for p in reversed(path.parents) if not p.stat().st_mode & 1), None)
    if closed is None:
        return
    aside = Path(f"/tmp/interpreter-{os.getpid()}")
    aside.mkdir()
    kernel.mount(str(path), str(aside), None, BIND | RECURSIVE)
    kernel.mount("tmpfs", str(closed), "tmpfs", 0, "mode=0755")
    path.mkdir(parents=True)
    kernel.mount(str(aside), str(path), None, BIND | RECURSIVE)
    kernel.detach(str(aside))
    aside.rmdir()


def main() -> None:
    asked = json.loads(sys.argv[1])
    lacks, user = asked.get("lacks", []), asked.get("user")
    if user is not None or "cgroups" in lacks:
        kernel.unshare(0x20000)
        kernel.mount("none", "/", None, RECURSIVE | PRIVATE)
    if "cgroups" in lacks and Path("/sys/fs/cgroup").exists():
        kernel.mount("tmpfs", "/sys/fs/cgroup", "tmpfs", READ_ONLY)
    if user is not None:
        open_the_way_to(Path(sys.base_prefix))
        for folder in asked.get("own", []):
            subprocess.run(["chown", "-R", f"{user}:{user}", folder], check=True)
    if set(lacks) - {"cgroups"}:
        instructions = filter_of(lacks)
        if os.geteuid():
            kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.prctl_pointer(kernel.PR_SET_SECCOMP, 2, seccomp._Program(len(instructions) // 8, instructions))
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
