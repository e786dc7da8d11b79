"""Follows one running local trial: progress out, limits and cancellation in, and what it uses."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import psutil

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.runners import entrypoint, file_locks
from auto_benchmark.runners.cgroup import TrialGroup
from auto_benchmark.runners.confinement import sockets
from auto_benchmark.runners.confinement.plan import PID, Layers
from auto_benchmark.runners.held import Held
from auto_benchmark.runners.progress import hand_on
from auto_benchmark.runners.runner import OnProgress, TrialRequest
from auto_benchmark.runners.waiting import Waiting

POLL_SECONDS = 0.1
LARGEST_LOG_MB = entrypoint.LARGEST_LOG_BYTES / 2**20
DEEPEST = 32
MOST_FILES = 30_000
"""And folders; each takes the file system a place though it is empty, and each look at them time. The door takes fewer."""
OWN_PROCESSES = 3
"""Of the confinement and the entrypoint, which is the only one in the trial's control group."""
READ_BYTES = 65_536
HIDDEN_LOOKS = 5
"""Looks in a row after which open files that cannot be seen are hidden; a process that is just being confined is closed."""
LAST_BYTES = 2**20
"""As much as a pipe holds at most; what is still being written then is no progress of the trial's."""
Stopped = tuple[FailureClass | None, str]


class Watch:
    """One trial's processes, seen from outside.

    Args:
        request: the attempt.
        process: the confinement, which ends after everything that it started.
        report: where the confinement tells what it counts; the watch closes it.
        group: the trial's control groups, where there are any.
        layers: that confine it.
        deadline: moment of the monotonic clock.
        cancel: set when the trial is to stop.

    Attributes:
        told: what the confinement has told.
        peak_memory_mb: most that was seen in use at once, MiB.
        cpu_s: processor time that was seen, s.
        waiting: for a processor.
    """

    def __init__(
        self, request: TrialRequest, process: subprocess.Popen[bytes], *, report: int, group: TrialGroup | None,
        layers: Layers, deadline: float, cancel: threading.Event,
    ) -> None:  # fmt: skip
        self.request, self.process, self.group, self.layers = request, process, group, layers
        self.deadline, self.cancel = deadline, cancel
        self.told: dict[str, Any] = {}
        self.peak_memory_mb = self.cpu_s = 0.0
        self._report = os.fdopen(report, "rb", buffering=0)
        self._seen = dict[tuple[int, float], float]()
        self.waiting = Waiting()
        self._hidden_looks = self._locks = 0

    def until_it_ends(self, on_progress: OnProgress | None) -> Stopped | None:
        """Return why it has to be stopped: class (None = cancelled) and message; None when it ended itself."""
        stdout = self.process.stdout
        if stdout is None:
            raise RuntimeError("the trial was started without a pipe")
        os.set_blocking(stdout.fileno(), False)
        os.set_blocking(self._report.fileno(), False)
        pending = b""
        with selectors.DefaultSelector() as selector, _end_of(self.process) as ended:
            for source in (stdout, self._report, *ended):
                selector.register(source, selectors.EVENT_READ)
            next_look = time.monotonic()
            while self.process.poll() is None:
                ready = {key.fileobj for key, _ in selector.select(POLL_SECONDS if ended else POLL_SECONDS / 5)}
                if stdout in ready:
                    chunk = stdout.read(READ_BYTES)
                    pending = hand_on(pending + (chunk or b""), on_progress)
                    if chunk == b"":
                        selector.unregister(stdout)
                if self._report in ready and not self._take_report():
                    selector.unregister(self._report)
                if time.monotonic() >= next_look:
                    if stopped := self._exceeded():
                        return stopped
                    next_look = time.monotonic() + POLL_SECONDS
        hand_on(pending + (stdout.read(LAST_BYTES) or b""), on_progress)
        return None

    def close(self) -> None:
        """Take what the confinement told last, when it has ended."""
        with self._report:
            while self._take_report():
                pass

    def exceeded_in_the_end(self) -> Stopped | None:
        """Which limit is found exceeded when everything has ended."""
        if self.group and self.group.usage().refused_processes:
            return self._too_many_processes()
        return self._too_large()

    def _take_report(self) -> bool:
        """Read what the confinement has told; False at its end."""
        with contextlib.suppress(BlockingIOError, ValueError):
            if not (said := self._report.read(READ_BYTES)):
                return said is None
            for line in said.splitlines():
                self.told |= json.loads(line)
        return True

    def _exceeded(self) -> Stopped | None:
        if self.cancel.is_set():
            return None, "cancelled"
        if time.monotonic() > self.deadline:
            return FailureClass.TIMEOUT, f"did not end within {self.request.config.budget_s:g} s"
        return self._look_at_processes() or self._too_large()

    def _look_at_processes(self) -> Stopped | None:
        usage = self.group.usage() if self.group else None
        if usage:
            self.waiting.look(usage.processes)
        if usage and usage.refused_processes:
            return self._too_many_processes()
        limits = self.request.resources
        if usage is not None and usage.memory_mb is not None and usage.cpu_s is not None:
            used_mb, self.cpu_s, processes = usage.memory_mb, usage.cpu_s, len(usage.processes) - 1
            self._locks = file_locks.held_by(usage.processes)
        else:
            used_mb, processes = self._scan()
            processes -= OWN_PROCESSES
        used_mb += file_locks.LOCK_BYTES * self._locks / 2**20
        used_mb += sum(float(self.told.get(name, 0.0)) for name in ("files_in_memory_mb", "in_sockets_mb"))
        self.peak_memory_mb = max(self.peak_memory_mb, used_mb)
        if used_mb > limits.memory_mb:
            return FailureClass.OOM_HOST, f"used {used_mb:.0f} MB of {limits.memory_mb} MB"
        if self._hidden_looks >= HIDDEN_LOOKS:
            return FailureClass.CRASH, "hid the open files of a process"
        if self._locks > file_locks.MOST:
            return FailureClass.CRASH, f"held more than {file_locks.MOST} locks on files"
        return self._too_many_processes() if processes > limits.pids else None

    def _scan(self) -> tuple[float, int]:
        """Memory, MiB, and number of the confinement's descendants; their processor time is noted."""
        held, count, numbers = Held(), 0, set[int]()
        for process in descendants(self.process.pid):
            with contextlib.suppress(psutil.Error), process.oneshot():
                held.look(process.pid, is_ours=self._is_ours(process))
                count += 1
                numbers.add(process.pid)
                times = process.cpu_times()
                self._seen[process.pid, process.create_time()] = times.user + times.system
                if not self.group:
                    self.waiting.look([process.pid])
        self.cpu_s = sum(self._seen.values())
        is_hidden = held.is_hidden and self.layers.descriptors
        self._hidden_looks = self._hidden_looks + 1 if is_hidden else 0
        self._locks = file_locks.held_by(numbers)
        return (held.memory + self._in_sockets(held)) / 2**20, count

    def _is_ours(self, process: psutil.Process) -> bool:
        """Whether it belongs to the confinement; its first process in a namespace is a child of the one that we started."""
        return process.pid == self.process.pid or (self.layers.has(PID) and process.ppid() == self.process.pid)

    def _in_sockets(self, held: Held) -> int:
        """Bytes, where only the processes that hold them tell a trial's sockets from others."""
        if self.layers.sockets_are_told_apart or not (held.sockets and self.layers.sockets):
            return 0
        with contextlib.suppress(OSError):
            return sockets.unix_memory(lambda socket: socket.inode in held.sockets)
        return 0

    def _too_many_processes(self) -> Stopped:
        return FailureClass.CRASH, f"started more than {self.request.resources.pids} processes and threads"

    def _too_large(self) -> Stopped | None:
        limit = self.request.resources.output_mb
        size_mb, depth, files = measure(self.request.output_dir)
        if size_mb > limit + LARGEST_LOG_MB:
            return FailureClass.BAD_OUTPUT, f"the output holds more than {limit} MiB"
        if depth > DEEPEST:
            return FailureClass.BAD_OUTPUT, f"the output holds folders more than {DEEPEST} deep"
        if files > MOST_FILES:
            return FailureClass.BAD_OUTPUT, f"the output holds more than {MOST_FILES} files and folders"
        return None


@contextlib.contextmanager
def _end_of(process: subprocess.Popen[bytes]):  # type: ignore[no-untyped-def]
    """A descriptor that becomes readable when the process ends, if the kernel has such."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        yield ()
        return
    try:
        yield (descriptor,)
    finally:
        os.close(descriptor)


def descendants(pid: int) -> list[psutil.Process]:
    """A process and everything below it."""
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []


def measure(folder: Path) -> tuple[float, int, int]:
    """What a directory occupies on disk, MiB, how deep it is and how many files and folders it holds.

    What is deeper than :data:`DEEPEST` or more than :data:`MOST_FILES` is not looked at.
    """
    blocks, deepest, files, waiting = 0, 0, 0, [(str(folder), 0)]
    while waiting and files <= MOST_FILES:
        path, depth = waiting.pop()
        deepest = max(deepest, depth)
        if depth > DEEPEST:
            break
        with contextlib.suppress(OSError), os.scandir(path) as entries:
            for entry in entries:
                files += 1
                if files > MOST_FILES:
                    break
                with contextlib.suppress(OSError):
                    blocks += entry.stat(follow_symlinks=False).st_blocks
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
    return blocks * 512 / 2**20, deepest, files
