"""Starts the confined command, waits for it, and ends whatever it leaves. It stays outside of what it watches."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import time
from collections.abc import Callable

from . import kernel, landlock, namespaces, private_root, privileges, processor, seccomp, sockets
from .plan import IPC, MOUNT, NETWORK, PID, ConfinementPlan

EXIT_ENVIRONMENT = 78
LOOK_SECONDS = 0.1
END_SECONDS = 5.0
FILE_BYTES = 1024
"""What a file in memory takes though it is empty."""
_AWAITED = (signal.SIGCHLD, signal.SIGTERM)


def run(plan: ConfinementPlan, command: list[str]) -> int:
    """Confine and run a command to its end; returns its exit code, 128 + n after signal n.

    SIGTERM ends the command and everything that it started, and so does the death of this process's parent.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
    parent = os.getppid()
    try:
        joined = [os.open(f"{group}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) for group in plan.groups]
        if plan.layers.namespaces:
            namespaces.enter(plan.layers.namespaces)
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGTERM)  # forgotten where a user namespace gave new powers
        if os.getppid() != parent:
            return EXIT_ENVIRONMENT
        if not plan.layers.has(PID):
            kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
            return _supervise(plan, command, joined)
        first = os.fork()
    except OSError as error:
        return _fault(plan, error)
    if first == 0:
        _leave_with(lambda: _first_process(plan, command, joined))
    _close(*joined, plan.report)
    while True:
        if signal.sigwait(_AWAITED) == signal.SIGTERM:
            os.kill(first, signal.SIGTERM)
        ended, status = os.waitpid(first, os.WNOHANG)
        if ended:
            return _code(status)


def _first_process(plan: ConfinementPlan, command: list[str], joined: list[int]) -> int:
    """Process 1 of the trial's own namespace: the kernel ends all others with it."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    return _supervise(plan, command, joined)


def _supervise(plan: ConfinementPlan, command: list[str], joined: list[int]) -> int:
    try:
        if plan.layers.has(MOUNT):
            private_root.enter(plan)
        begins, begin = os.pipe()
        child = os.fork()
    except OSError as error:
        return _fault(plan, error)
    if child == 0:
        _close(begin)
        _leave_with(lambda: _become(plan, command, joined, begins))
    _close(begins, *joined)
    try:
        counter = processor.counter(child) if plan.layers.counter else -1
    except OSError as error:
        _kill(child)
        return _fault(plan, error)
    _close(begin)
    _wait_for(child, plan)
    status = _end_all(child, plan)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    counted = processor.seconds(counter) if counter >= 0 else 0.0
    _tell(plan, cpu_s=max(counted, used.ru_utime + used.ru_stime), peak_memory_mb=used.ru_maxrss / 1024)
    return _code(status)


def _become(plan: ConfinementPlan, command: list[str], joined: list[int], begins: int) -> int:
    """Give everything up and become the command, once the other end of ``begins`` is closed."""
    try:
        os.read(begins, 1)
        _close(begins)
        os.setpgid(0, 0)
        for group in joined:
            os.write(group, b"0")
        _close(*joined)
        privileges.drop(plan)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        if plan.layers.landlock and not plan.restricts_late:
            landlock.restrict(plan)
        if plan.layers.seccomp:
            seccomp.install(_filter(plan))
        if plan.report >= 0:
            os.set_inheritable(plan.report, False)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _AWAITED)
        os.execvp(command[0], command)  # noqa: S606 - it is its purpose
    except OSError as error:
        return _fault(plan, error)


def _filter(plan: ConfinementPlan) -> bytes:
    layers = plan.layers
    own_network = (seccomp.INTERNET, seccomp.INTERNET_6, seccomp.NETLINK) if layers.has(NETWORK) else ()
    return seccomp.program(
        families=(seccomp.INTERNET, seccomp.INTERNET_6) if plan.network else own_network,
        may_connect=plan.network,
        own_tree=layers.has(MOUNT),
        memory_counts=plan.memory_counts,
        passes_descriptors=plan.memory_counts or layers.sockets_are_told_apart,
        own_ipc=layers.has(IPC),
        own_processes=layers.has(PID) or plan.user is not None,
        own_sessions=layers.has(PID) or plan.user is not None,
    )


def _wait_for(child: int, plan: ConfinementPlan) -> None:
    """Until the child has ended, reaping orphans, or until everything is to end. The child is not reaped."""
    watches_memory = (
        plan.layers.has(NETWORK) and plan.layers.sockets
        if plan.counts_files_in_memory
        else plan.layers.has(MOUNT) or plan.layers.sockets_are_told_apart
    )
    while True:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is not None and ended.si_pid == child:
            return
        if ended is not None:
            os.waitpid(ended.si_pid, os.WNOHANG)
            continue
        told = signal.sigtimedwait(_AWAITED, LOOK_SECONDS) if watches_memory else signal.sigwaitinfo(_AWAITED)
        if told is not None and told.si_signo == signal.SIGTERM:
            return
        if watches_memory:
            _tell_memory(plan)


def _tell_memory(plan: ConfinementPlan) -> None:
    """What the kernel holds for the trial besides the memory of its processes, or of its control group."""
    if plan.counts_files_in_memory:
        _tell(plan, in_sockets_mb=sockets.netlink_memory() / 2**20)
        return
    if plan.layers.has(MOUNT):
        held = os.statvfs("/dev/shm")  # noqa: S108
        used = (held.f_blocks - held.f_bfree) * held.f_frsize + (held.f_files - held.f_ffree) * FILE_BYTES
        _tell(plan, files_in_memory_mb=used / 2**20)
    if not plan.layers.sockets:
        return
    if plan.layers.has(NETWORK):
        _tell(plan, in_sockets_mb=sockets.all_memory() / 2**20)
    elif plan.user is not None:
        _tell(plan, in_sockets_mb=sockets.unix_memory(lambda socket: socket.user == plan.user) / 2**20)


def _end_all(child: int, plan: ConfinementPlan) -> int:
    """Kill the child and everything below it, at once where the kernel can, and reap it; returns the child's status."""
    status, deadline = 0, time.monotonic() + END_SECONDS
    _kill_all(child, plan)
    while time.monotonic() < deadline:
        try:
            ended, how = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if ended == child:
            status = how
        elif not ended:
            _kill_all(child, plan)
            time.sleep(0.002)
    else:
        _tell(plan, left="processes that cannot be ended")
    return status


def _kill_all(child: int, plan: ConfinementPlan) -> None:
    if plan.layers.has(PID):
        _kill(-1)
        return
    if plan.user is not None:
        _kill_all_of(plan.user)
    _kill(-child)  # the child's group: it lasts as long as one of its processes is not reaped
    for process in _children():
        _kill(process)


def _kill_all_of(user: int) -> None:
    """All processes of the trial's own user, in one step that no fork escapes."""
    killer = os.fork()
    if killer == 0:
        os.setresuid(user, user, user)
        _leave_with(lambda: _kill(-1))
    os.waitpid(killer, 0)


def _kill(process: int) -> int:
    try:
        os.kill(process, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return 1
    return 0


def _children() -> list[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:  # noqa: PTH123
            return [int(number) for number in file.read().split()]
    except OSError:  # a kernel without this file
        return []


def _code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


def _tell(plan: ConfinementPlan, **told: float | str) -> None:
    if plan.report >= 0:
        try:
            os.write(plan.report, json.dumps(told).encode() + b"\n")
        except OSError as error:
            if error.errno not in {errno.EAGAIN, errno.EPIPE}:  # the runner is slow, or has gone
                raise


def _fault(plan: ConfinementPlan, error: OSError) -> int:
    _tell(plan, fault=f"the trial cannot be confined: {error}")
    return EXIT_ENVIRONMENT


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        if descriptor >= 0:
            os.close(descriptor)


def _leave_with(work: Callable[[], int]) -> None:
    """End this forked process with what ``work`` returns, whatever happens in it."""
    code = EXIT_ENVIRONMENT
    try:
        code = work()
    finally:
        os._exit(code)
