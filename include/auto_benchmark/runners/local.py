"""Runs a trial as a confined process of this machine."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import psutil

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.runners import entrypoint, handover, isolation
from auto_benchmark.runners.cgroup import TrialGroup, trial_group
from auto_benchmark.runners.confinement.plan import ConfinementPlan
from auto_benchmark.runners.environment import trial_environment
from auto_benchmark.runners.exit_code import verdict
from auto_benchmark.runners.granted import plan
from auto_benchmark.runners.runner import EnvironmentFaultError, OnProgress, RunResult, TrialRequest
from auto_benchmark.runners.trial_user import own_user
from auto_benchmark.runners.watch import Stopped, Watch, descendants
from auto_benchmark.scratch import scratch_folder
from auto_benchmark.settings import process_environment

END_SECONDS = 8.0
"""How long the confinement may take to end everything; it gives the kernel five."""
TRIAL_USER = "trial"
DRIVER_VARIABLES = ("LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")
"""Where this machine keeps its GPU driver and which devices are ours; only for solutions that declare GPUs."""


class LocalRunner:
    """A trial as a local process, confined in every layer that the machine offers.

    Wall clock, memory, process count and output are bounded. What the trial wrote is looked at only when none of its
    processes is left.
    """

    name = "local"

    @property
    def isolated_by(self) -> tuple[str, ...]:
        """The layers that this machine offers."""
        return isolation.offered().isolated_by()

    @property
    def not_isolated(self) -> tuple[str, ...]:
        """What this machine does not keep a trial from using."""
        return isolation.offered().not_isolated()

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
        offered, limits = isolation.offered(), request.resources
        try:
            with contextlib.ExitStack() as held:
                user = held.enter_context(own_user()) if offered.layers.own_user else None
                scratch = held.enter_context(_handed_over(request.output_dir, user))
                group = held.enter_context(trial_group(offered.groups, memory_mb=limits.memory_mb, pids=limits.pids))
                attempt = _Attempt(request, offered, user, scratch, group)
                return attempt.run(on_progress, cancel or threading.Event())
        except EnvironmentFaultError as error:
            return RunResult(TrialState.FAILED, FailureClass.ENVIRONMENT_ERROR, str(error), None, 0.0)


@contextlib.contextmanager
def _handed_over(output: Path, user: int | None) -> Iterator[str]:
    """The output directory in the trial's hands, and a scratch directory for it."""
    with scratch_folder("trial") as scratch:
        try:
            for folder in (output, scratch):
                handover.give(folder, user)
            yield str(scratch)
        finally:
            handover.take_back(output, user)
            handover.remove(scratch)


class _Attempt:
    """One attempt with everything that it holds."""

    def __init__(
        self, request: TrialRequest, offered: isolation.Offered, user: int | None, scratch: str,
        group: TrialGroup | None,
    ) -> None:  # fmt: skip
        self.request, self.offered, self.user, self.scratch, self.group = request, offered, user, scratch, group

    def run(self, on_progress: OnProgress | None, cancel: threading.Event) -> RunResult:
        """Start it, follow it, end everything, judge."""
        started = time.monotonic()
        process, report = self._start()
        deadline = started + self.request.config.budget_s
        watch = Watch(self.request, process, report=report, group=self.group, layers=self.offered.layers,
                      deadline=deadline, cancel=cancel)  # fmt: skip
        stopped: Stopped | None = None
        try:
            stopped = watch.until_it_ends(on_progress)
        finally:
            is_over = _end(process, self.group)
            watch.close()
        if not is_over or "left" in watch.told:
            stopped = stopped or (FailureClass.CRASH, "left processes that cannot be ended")
        return self._judge(process.returncode, stopped, watch, time.monotonic() - started)

    def _start(self) -> tuple[subprocess.Popen[bytes], int]:
        request = self.request
        program = request.interpreter if request.command[0] in {"python", "python3"} else request.command[0]
        environment = trial_environment(
            request, data_dir=str(request.data_dir), output_dir=str(request.output_dir), scratch=self.scratch
        )
        if self.user is not None:  # libraries ask who they are, and no file of the machine knows this user
            environment |= dict.fromkeys(("LOGNAME", "USER"), TRIAL_USER)
        if request.resources.gpus:
            own = process_environment()
            environment |= {name: own[name] for name in DRIVER_VARIABLES if name in own}
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        directories = self.group.directories if self.group else ()
        granted = plan(request, self.offered, program=program, scratch=self.scratch, user=self.user,
                       groups=directories, report=writing)  # fmt: skip
        try:
            process = subprocess.Popen(  # noqa: S603 - the command is the user's own solution
                command_line(granted, [program, *request.command[1:]], request.interpreter),
                cwd=request.workdir,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(writing,),
            )
        except OSError as error:
            os.close(reading)
            raise EnvironmentFaultError(f"the trial cannot be started: {error}") from error
        finally:
            os.close(writing)
        return process, reading

    def _judge(self, code: int, stopped: Stopped | None, watch: Watch, wall_s: float) -> RunResult:
        usage = self.group.usage() if self.group else None
        told = watch.told
        cpu_s = usage.cpu_s if usage and usage.cpu_s is not None else max(watch.cpu_s, told.get("cpu_s", 0.0))
        peak = max(watch.peak_memory_mb, told.get("peak_memory_mb", 0.0)) or None
        cpu_at_most_s = watch.waiting.cpu_at_most_s(cpu_s, wall_s, counted_s=usage.waited_s if usage else None)
        if stopped is None and "fault" in told:
            stopped = FailureClass.ENVIRONMENT_ERROR, told["fault"]
        if stopped is None:
            oom = bool(usage and usage.killed_for_memory)
            judged = verdict(code, self.request.output_dir, wall_s, peak, cpu_s=cpu_s, oom_killed=oom)
            stopped = watch.exceeded_in_the_end() if judged.failure in {None, FailureClass.CRASH} else None
            if stopped is None:
                return replace(judged, cpu_at_most_s=cpu_at_most_s)
        failure, message = stopped
        state = TrialState.CANCELLED if failure is None else TrialState.FAILED
        return RunResult(state, failure, message, None, wall_s, peak, cpu_s, cpu_at_most_s)


def command_line(granted: ConfinementPlan, command: list[str], interpreter: str = sys.executable) -> list[str]:
    """The whole command line: confinement, entrypoint and the trial's own command."""
    start = [interpreter, "-I", "-S", entrypoint.__file__]
    if sys.platform != "linux":
        return [*start, *command]
    late = [*isolation.PROGRAM, "restrict", granted.to_json()] if granted.restricts_late else []
    return [*isolation.PROGRAM, granted.to_json(), *start, *late, *command]


def _end(process: subprocess.Popen[bytes], group: TrialGroup | None) -> bool:
    """End a trial with all its processes. Returns whether nothing is left."""
    left = descendants(process.pid) if process.poll() is None else []
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        for each in left:
            with contextlib.suppress(psutil.Error):
                each.kill()
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()
    return group is None or group.end()
