"""Service processes: each leads a session of its own, so that whatever it starts can be found and stopped with it.

A process is recorded with its start time, so that a recycled process id after a reboot is never taken for it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from auto_benchmark.stack import private_file

STOP_TIMEOUT_S = 30.0
SAME_START_S = 1.5


class Processes:
    """The recorded processes of one stack.

    Args:
        record: file that keeps name -> process id and start time.
    """

    def __init__(self, record: Path) -> None:
        self.record = record

    def start(
        self, name: str, command: Sequence[str], *, environment: Mapping[str, str], log: Path, cwd: Path
    ) -> psutil.Process:
        """Start a service, its output appended to ``log``, and record it."""
        with log.open("ab") as output:
            child = subprocess.Popen(  # noqa: S603 - the stack's own services
                list(command), env=dict(environment), cwd=cwd, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        process = psutil.Process(child.pid)
        started = {"pid": child.pid, "started": process.create_time()}
        private_file.write(self.record, {**self._recorded(), name: started})
        return process

    def names(self) -> list[str]:
        """Every recorded service, running or not."""
        return list(self._recorded())

    def running(self, name: str) -> psutil.Process | None:
        """The service's process while it lives."""
        recorded = self._recorded().get(name)
        return None if recorded is None else _living(recorded)

    def leftovers(self, name: str) -> list[psutil.Process]:
        """Processes that the service started and that still live, itself included."""
        recorded = self._recorded().get(name)
        return [] if recorded is None else _session(recorded)

    def stop(self, names: Iterable[str], *, timeout_s: float = STOP_TIMEOUT_S) -> list[str]:
        """End the services and everything they started: first asked, then killed.

        Returns:
            Services that had to be killed.
        """
        recorded = self._recorded()
        sessions = {name: self.leftovers(name) for name in names if name in recorded}
        for name, members in sessions.items():
            leader = self.running(name)
            for process in [leader] if leader else members:
                _signal(process, signal.SIGTERM)
        deadline = time.monotonic() + timeout_s
        killed = []
        for name, members in sessions.items():
            leaders = [m for m in members if m.pid == recorded[name]["pid"]] or members
            psutil.wait_procs(leaders, timeout=max(0.1, deadline - time.monotonic()))
            if any(_is_alive(process) for process in leaders):
                killed.append(name)
            self._kill_rest(name, members)
        private_file.write(self.record, {k: v for k, v in self._recorded().items() if k not in sessions})
        return killed

    def _kill_rest(self, name: str, members: list[psutil.Process]) -> None:
        """Kill what outlived the leader, until nothing of the session is left."""
        for _ in range(20):
            alive = {p.pid: p for p in (*members, *self.leftovers(name)) if _is_alive(p)}
            if not alive:
                return
            for process in alive.values():
                _signal(process, signal.SIGKILL)
            psutil.wait_procs(list(alive.values()), timeout=0.5)

    def _recorded(self) -> dict[str, dict[str, Any]]:
        return private_file.read(self.record)


def _living(recorded: Mapping[str, Any]) -> psutil.Process | None:
    try:
        process = psutil.Process(recorded["pid"])
        same = abs(process.create_time() - recorded["started"]) < SAME_START_S
        return process if same and process.status() != psutil.STATUS_ZOMBIE else None
    except psutil.Error:
        return None


def _session(recorded: Mapping[str, Any]) -> list[psutil.Process]:
    """Members of the session that the recorded process led, and their descendants (trials lead their own sessions).

    While any member lives, the session's id cannot be given away.
    """
    leader = recorded["pid"]
    if psutil.pid_exists(leader) and _living(recorded) is None and not _is_zombie(leader):
        return []
    found: dict[int, psutil.Process] = {}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            in_session = os.getsid(process.pid) == leader
            if in_session and process.create_time() >= recorded["started"] - SAME_START_S and _is_alive(process):
                found |= {member.pid: member for member in (process, *process.children(recursive=True))}
    return list(found.values())


def _is_zombie(pid: int) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    return False


def _is_alive(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    return False


def _signal(process: psutil.Process, number: int) -> None:
    with contextlib.suppress(psutil.Error):
        process.send_signal(number)
