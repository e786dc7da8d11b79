"""Runs a trial as a process of this machine: own session, allow-listed environment, bounded time and memory."""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import psutil

from auto_benchmark.contract.trial import FailureClass, TrialState
from auto_benchmark.runners import confinement, entrypoint
from auto_benchmark.runners.environment import trial_environment
from auto_benchmark.runners.failure import verdict
from auto_benchmark.runners.progress import hand_on
from auto_benchmark.runners.runner import OnProgress, RunResult, TrialRequest
from auto_benchmark.settings import process_environment

POLL_SECONDS = 0.1
LARGEST_LOG_MB = entrypoint.LARGEST_LOG_BYTES / 2**20
SYSTEM_PATHS = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/opt", "/proc", "/sys")
DEVICE_PATHS = ("/dev",)
DRIVER_VARIABLES = ("LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")
"""Where this machine keeps its GPU driver and which devices are ours; only for solutions that declare GPUs."""


class LocalRunner:
    """A trial as a local process.

    It bounds wall clock, memory, process count and output by watching, and kills the whole session when one is
    exceeded. Files, network and other processes are kept from it as far as the kernel allows.
    """

    name = "local"

    @property
    def not_isolated(self) -> tuple[str, ...]:
        """What this kernel does not keep a trial from using."""
        return confinement.missing()

    def facts(self, image: str) -> Mapping[str, str]:
        """Nothing besides what every fingerprint holds."""
        return {}

    def run(
        self,
        request: TrialRequest,
        *,
        on_progress: OnProgress | None = None,
        cancel: threading.Event | None = None,
    ) -> RunResult:
        """Run one attempt to its end."""
        with tempfile.TemporaryDirectory(prefix="ab-trial-", ignore_cleanup_errors=True) as scratch:
            return self._run(request, scratch, on_progress, cancel or threading.Event())

    def _run(
        self, request: TrialRequest, scratch: str, on_progress: OnProgress | None, cancel: threading.Event
    ) -> RunResult:
        program = sys.executable if request.command[0] in {"python", "python3"} else request.command[0]
        environment = trial_environment(
            request, data_dir=str(request.data_dir), output_dir=str(request.output_dir), scratch=scratch
        )
        if request.resources.gpus:
            own = process_environment()
            environment |= {name: own[name] for name in DRIVER_VARIABLES if name in own}
        started = time.monotonic()
        process = subprocess.Popen(  # noqa: S603 - the command is the user's own solution
            _confined(request, program, scratch),
            cwd=request.workdir,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        watch = _Watch(request, process, started + request.config.budget_s, cancel)
        try:
            stopped = watch.until_it_ends(on_progress)
        finally:
            _kill_session(process.pid)
            process.wait()
            if process.stdout:
                process.stdout.close()
        wall_s = time.monotonic() - started
        peak = watch.peak_memory_mb or None
        if stopped is None:
            return verdict(process.returncode, request.output_dir, wall_s, peak)
        failure, message = stopped
        state = TrialState.CANCELLED if failure is None else TrialState.FAILED
        return RunResult(state, failure, message, None, wall_s, peak)


def _confined(request: TrialRequest, program: str, scratch: str) -> list[str]:
    """The whole command line: confinement, entrypoint and the trial's own command.

    With a GPU the entrypoint comes first: CUDA must write below ``/proc/self``, and that can be allowed only to the
    process that is confined itself.
    """
    python = [sys.executable, "-I", "-S"]
    found = shutil.which(program)
    readable = [
        *SYSTEM_PATHS, sys.prefix, sys.base_prefix, entrypoint.__file__, str(request.workdir), str(request.data_dir),
        *request.resources.readable, *([found] if found else []),
    ]  # fmt: skip
    # Not its own folder: a trial that changes its code, or leaves a note beside it, changes every later trial.
    writable = [*DEVICE_PATHS, str(request.output_dir), scratch, *request.resources.writable]
    command = [program, *request.command[1:]]
    start = [*python, entrypoint.__file__]
    if not request.resources.gpus:
        return [*python, confinement.__file__, *readable, "--", *writable, "--", *start, *command]
    readable += process_environment().get("LD_LIBRARY_PATH", "").split(":")
    writable.append(confinement.OWN_PROCESS)
    return [*start, *python, confinement.__file__, *readable, "--", *writable, "--", *command]


class _Watch:
    """Follows one running trial: progress lines out, limits and cancellation in."""

    def __init__(
        self, request: TrialRequest, process: subprocess.Popen[bytes], deadline: float, cancel: threading.Event
    ) -> None:
        self.request, self.process, self.deadline, self.cancel = request, process, deadline, cancel
        self.peak_memory_mb = 0.0

    def until_it_ends(self, on_progress: OnProgress | None) -> tuple[FailureClass | None, str] | None:
        """Return why it was stopped from outside: class (None = cancelled) and message; None when it ended itself."""
        stdout = self.process.stdout
        if stdout is None:
            raise RuntimeError("the trial was started without a pipe")
        os.set_blocking(stdout.fileno(), False)
        pending = b""
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            next_look = time.monotonic()
            while self.process.poll() is None:
                if selector.get_map() and selector.select(POLL_SECONDS):
                    chunk = stdout.read(65_536)
                    if chunk:
                        pending = hand_on(pending + chunk, on_progress)
                    else:
                        selector.unregister(stdout)
                elif not selector.get_map():
                    time.sleep(POLL_SECONDS / 5)
                if time.monotonic() >= next_look:
                    if stopped := self._exceeded():
                        return stopped
                    next_look = time.monotonic() + POLL_SECONDS
        hand_on(pending + (stdout.read() or b""), on_progress)
        return None

    def _exceeded(self) -> tuple[FailureClass | None, str] | None:
        if self.cancel.is_set():
            return None, "cancelled"
        if time.monotonic() > self.deadline:
            return FailureClass.TIMEOUT, f"did not end within {self.request.config.budget_s:g} s"
        used_mb, processes = _session_usage(self.process.pid)
        self.peak_memory_mb = max(self.peak_memory_mb, used_mb)
        limits = self.request.resources
        if used_mb > limits.memory_mb:
            return FailureClass.OOM_HOST, f"used {used_mb:.0f} MB of {limits.memory_mb} MB"
        if processes > limits.pids:
            return FailureClass.CRASH, f"started {processes} processes; the limit is {limits.pids}"
        if _size_mb(self.request.output_dir) > limits.output_mb + LARGEST_LOG_MB:
            return FailureClass.BAD_OUTPUT, f"the output holds more than {limits.output_mb} MiB"
        return None


def _size_mb(folder: Path) -> float:
    """What a directory occupies on disk, MiB."""
    blocks = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                blocks += os.lstat(os.path.join(parent, name)).st_blocks  # noqa: PTH118
    return blocks * 512 / 2**20


def _session(pid: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []


def _session_usage(pid: int) -> tuple[float, int]:
    used, count = 0, 0
    for process in _session(pid):
        try:
            used += process.memory_info().rss
            count += 1
        except psutil.Error:
            continue
    return used / 2**20, count


def _kill_session(pid: int) -> None:
    """Kill the process group and whatever left it while still a descendant."""
    stragglers = _session(pid)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    for process in stragglers:
        try:
            process.kill()
        except psutil.Error:
            continue
