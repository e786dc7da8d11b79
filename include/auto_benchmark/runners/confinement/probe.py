"""Which layers this machine offers, found by trying each in a process that ends at once."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

from . import kernel, landlock, namespaces, private_root, privileges, processor, seccomp, sockets
from .plan import MOUNT, NAMESPACES, PID, USER, ConfinementPlan, Layers

_INTERNET_STREAM = (2, 1)


def layers() -> Layers:
    """What the machine offers to this user. Namespaces that need one of the user exclude a user of the trial's own."""
    if not kernel.KNOWN:
        return Layers()
    found = Layers(
        _namespaces(),
        landlock.version(),
        _works(_refuse_sockets),
        sockets=_works(sockets.all_memory),
        descriptors=True,
        counter=_works(_count_a_child),
    )
    if os.geteuid() != 0 or USER in found.namespaces or not _works(_become_another):
        return found
    other = found._replace(own_user=True, descriptors=privileges.sees_other_users())
    # without the power to read everything, the interpreter must lie where everybody may read
    return other if other.own_user_reads_all or found.has(MOUNT) or _works(_read_interpreter) else found


def _namespaces() -> tuple[str, ...]:
    best: tuple[str, ...] = ()
    for needed in ((), (USER,)):
        if _enters(whole := (*needed, *NAMESPACES)):
            return whole
        alone = [name for name in NAMESPACES if name != PID and _enters((*needed, name))]
        some = (*needed, *alone)
        if MOUNT in alone and _enters((*some, PID)):
            some = (*some, PID)
        if alone and len(some) > len(best) and _enters(some):
            best = some
    return best


def _enters(names: tuple[str, ...]) -> bool:
    def enter() -> None:
        namespaces.enter(names)
        os.chdir("/")
        plan = ConfinementPlan(("/usr", "/bin"), (), Layers(names), devices=("/dev/null",))
        if PID in names:  # which is entered by the next child
            if not _works(lambda: private_root.enter(plan)):
                raise OSError("no file tree of its own")
        elif MOUNT in names:
            private_root.enter(plan)

    return _works(enter)


def _refuse_sockets() -> None:
    seccomp.install(
        seccomp.program(
            families=(),
            may_connect=False,
            own_tree=False,
            memory_counts=False,
            passes_descriptors=False,
            own_ipc=False,
            own_processes=False,
            own_sessions=False,
        )
    )
    try:
        kernel.call("socket", *_INTERNET_STREAM, 0)
    except PermissionError:
        return
    raise OSError("the filter does not hold")


def _count_a_child() -> None:
    child = os.fork()
    if child == 0:
        signal.pause()
    try:
        os.close(processor.counter(child))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _become_another() -> None:
    os.setgroups([])
    os.setresgid(*[privileges.FIRST_USER] * 3)
    os.setresuid(*[privileges.FIRST_USER] * 3)


def _read_interpreter() -> None:
    _become_another()
    for path in (sys.executable, __file__):
        os.close(os.open(path, os.O_RDONLY))


def _works(action: Callable[[], object]) -> bool:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            action()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
