"""A trial's running container, followed to its end; progress out, deadline and cancellation in.

Progress is read by asking for new log lines again and again: an attached stream waits for ever on a container that is
gone and breaks on one that is silent; a bounded question with ``since`` does neither.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tarfile import TarError
from typing import Any

from docker.errors import APIError, NotFound
from requests.exceptions import RequestException

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.runners.archive import UnfitOutputError, unpack
from auto_benchmark.runners.container import ContainerSpec
from auto_benchmark.runners.docker_engine import CALL_SECONDS, CONFLICT, POLL_SECONDS, patiently, words
from auto_benchmark.runners.entrypoint import USAGE
from auto_benchmark.runners.environment import CONTAINER_OUTPUT_DIR
from auto_benchmark.runners.exit_code import verdict
from auto_benchmark.runners.progress import ProgressLines
from auto_benchmark.runners.runner import OnProgress, RunResult, TrialRequest

LOG_TAIL_LINES = 2_000
LAST_LINES = 5
"""Of stdout, in which the entrypoint's account is looked for."""
LARGEST_ACCOUNT = 1e9


class Follower:
    """One running container to its end: progress out; deadline and cancellation in."""

    def __init__(
        self, api: Any, container: str, spec: ContainerSpec, request: TrialRequest, cancel: threading.Event
    ) -> None:
        self.api, self.container, self.spec, self.request, self.cancel = api, container, spec, request, cancel
        self.peak_memory_mb: float | None = None
        self.cpu_s: float | None = None

    def result(self, on_progress: OnProgress | None) -> RunResult:
        """Wait, collect, judge. A container that vanished, or an engine that stays away, is ``killed``."""
        started = time.monotonic()
        progress = ProgressReader(self.api, self.container, on_progress)
        try:
            stopped = self._until_it_ends(progress)
            state = self._state()
            unfit = self._collect()
        except (NotFound, RequestException, APIError, TarError) as error:
            message = f"its container was lost: {words(error)}"
            return RunResult(TrialState.FAILED, FailureClass.KILLED, message, None, time.monotonic() - started)
        progress.complete(self.request.output_dir / "train.log")
        self._take_account()
        wall_s = _seconds(state)
        if stopped is not None:
            failure, message = stopped
            outcome = TrialState.CANCELLED if failure is None else TrialState.FAILED
            return RunResult(outcome, failure, message, None, wall_s, self.peak_memory_mb, self.cpu_s)
        judged = verdict(
            state["ExitCode"], self.request.output_dir, wall_s, self.peak_memory_mb, cpu_s=self.cpu_s,
            oom_killed=state["OOMKilled"],
        )  # fmt: skip
        if unfit and judged.failure is None:
            return replace(judged, state=TrialState.FAILED, failure=FailureClass.BAD_OUTPUT, message=unfit)
        return judged

    def _until_it_ends(self, progress: ProgressReader) -> tuple[FailureClass | None, str] | None:
        pause, longest = POLL_SECONDS
        state = self._state()
        deadline = time.monotonic() + self.spec.deadline_s - _seconds(state)
        while state["Running"]:
            if self.cancel.is_set():
                return self._stop(None, "cancelled")
            if time.monotonic() > deadline:
                return self._stop(FailureClass.TIMEOUT, f"did not end within {self.spec.deadline_s:g} s")
            self.cancel.wait(min(pause, max(0.01, deadline - time.monotonic())))
            pause = min(longest, pause * 1.3)
            self._note_usage()
            patiently(progress.read)
            state = self._state()
        patiently(progress.read)
        return None

    def _stop(self, failure: FailureClass | None, message: str) -> tuple[FailureClass | None, str]:
        try:
            patiently(lambda: self.api.kill(self.container))
        except APIError as error:
            if error.status_code != CONFLICT:  # it ended by itself meanwhile
                raise
        patiently(lambda: self.api.wait(self.container, timeout=CALL_SECONDS))
        return failure, message

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = patiently(lambda: self.api.inspect_container(self.container)["State"])
        return state

    def _note_usage(self) -> None:
        """Memory and processor time as the engine counts them; it tells nothing of the time after the last look."""
        with contextlib.suppress(APIError, RequestException, KeyError, ValueError):
            told = self.api.stats(self.container, stream=False, one_shot=True)
            self.cpu_s = max(self.cpu_s or 0.0, told["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9)
            memory = told["memory_stats"]
            details = memory["stats"]
            cache = details.get("total_inactive_file", details.get("inactive_file", 0))
            self.peak_memory_mb = max(self.peak_memory_mb or 0.0, (memory["usage"] - cache) / 2**20)

    def _take_account(self) -> None:
        """What the entrypoint says in the end; whatever else wrote such a line can only make itself look costlier."""
        with contextlib.suppress(APIError, RequestException):
            for line in self.api.logs(self.container, stderr=False, tail=LAST_LINES).splitlines():
                told = account(line)
                self.cpu_s = max(self.cpu_s or 0.0, told.get("cpu_s", 0.0)) or None
                self.peak_memory_mb = max(self.peak_memory_mb or 0.0, told.get("peak_memory_mb", 0.0)) or None

    def _collect(self) -> str | None:
        """Copy the output out; returns why it is unfit, if it is."""
        target = self.request.output_dir
        try:
            chunks, _ = patiently(lambda: self.api.get_archive(self.container, CONTAINER_OUTPUT_DIR))
            with contextlib.closing(chunks):
                unpack(chunks, target, limit_mb=self.spec.output_mb)
        except UnfitOutputError as error:
            return str(error)
        finally:
            if not (target / "train.log").exists():  # an image without our entrypoint
                words = self.api.logs(self.container, tail=LOG_TAIL_LINES)
                (target / "train.log").write_bytes(words)
        return None


class ProgressReader:
    """Hands on each progress line of a container once."""

    def __init__(self, api: Any, container: str, on_progress: OnProgress | None) -> None:
        self._api, self._container, self._wanted = api, container, on_progress is not None
        self._lines = ProgressLines(on_progress)
        self._last = ""

    def read(self) -> None:
        """Hand on what came since the last call."""
        if not self._wanted:
            return
        since = _epoch(self._last) if self._last else None
        try:
            logged = self._api.logs(self._container, stderr=False, timestamps=True, since=since)
        except APIError:  # its log is gone or being rotated; state is read elsewhere
            return
        seen = self._last
        for row in logged.splitlines():
            stamp, _, line = row.partition(b" ")
            moment = stamp.decode("ascii", "replace")
            if moment > seen:
                self._lines.take(line)
                self._last = moment

    def complete(self, log: Path) -> None:
        """Hand on what the engine's log has lost, from the trial's own."""
        self._lines.complete(log)


def account(line: bytes) -> dict[str, float]:
    """The numbers of a line of the entrypoint's; nothing of any other line."""
    if not line.startswith(USAGE):
        return {}
    try:
        told = json.loads(line.removeprefix(USAGE))
    except (ValueError, RecursionError):
        return {}
    named = told.items() if isinstance(told, dict) else ()
    return {n: v for n, v in named if isinstance(v, float) and 0 <= v < LARGEST_ACCOUNT}


def _seconds(state: Mapping[str, Any]) -> float:
    """How long the container has run, or ran."""
    started, finished = moment_of(state["StartedAt"]), moment_of(state["FinishedAt"])
    if started is None:
        return 0.0
    if finished is None or finished < started or state["Running"]:
        finished = datetime.now(UTC)
    return max(0.0, (finished - started).total_seconds())


def moment_of(text: str) -> datetime | None:
    """Parse the engine's nanosecond timestamps; its zero means never."""
    if text.startswith("0001-"):
        return None
    return datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S").replace(
        tzinfo=UTC, microsecond=int(text[20:-1].ljust(6, "0")[:6]) if "." in text else 0
    )


def _epoch(stamp: str) -> int:
    """Whole seconds since 1970 of an engine timestamp; lines of one second are told apart by their own stamps."""
    return int(datetime.strptime(stamp[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=UTC).timestamp())
