"""Runs a trial in a hardened container of a Docker engine.

The container is named after the trial, so a worker that was killed finds it again and goes on following it; what it
did is read from the engine's state and from an archive of its output volume, never from a log stream. An engine that
does not answer is waited for: with ``live-restore`` its containers survive it.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import docker
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from requests.exceptions import RequestException

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.runners.archive import UnfitOutputError, pack, pack_code, unpack
from auto_benchmark.runners.container import (
    CODE_LABEL,
    CONTAINER_CODE_DIR,
    DEADLINE_LABEL,
    LOCK_LABEL,
    SPARE_SECONDS,
    SPEC_LABEL,
    TRIAL_LABEL,
    ContainerSpec,
    container_arguments,
    container_spec,
    host_limits,
)
from auto_benchmark.runners.docker_progress import ProgressReader
from auto_benchmark.runners.environment import CONTAINER_DATA_DIR, CONTAINER_OUTPUT_DIR
from auto_benchmark.runners.exit_code import verdict
from auto_benchmark.runners.runner import EnvironmentFaultError, OnProgress, RunResult, TrialRequest

log = logging.getLogger(__name__)
T = TypeVar("T")
CALL_SECONDS = 60
ENGINE_LOST_SECONDS = 120.0
NAME_TAKEN_SECONDS = 10.0
POLL_SECONDS = (0.1, 1.0)
LOG_TAIL_LINES = 2_000
CONFLICT = 409


def environment_engine() -> Any:
    """A client of the engine that ``DOCKER_HOST`` names, or of the machine's own. Raises DockerException."""
    return docker.from_env(timeout=CALL_SECONDS).api


class DockerRunner:
    """A trial as a container.

    Args:
        connect: makes an ``APIClient`` of the engine.
    """

    name = "docker"
    isolated_by: tuple[str, ...] = ("a container of its own", "no network", "an unprivileged user without powers")
    not_isolated: tuple[str, ...] = ("disk space of its output volume while it runs",)

    def __init__(self, connect: Callable[[], Any] = environment_engine) -> None:
        self._connect = connect

    def facts(self, image: str) -> Mapping[str, str]:
        """Digest of the image that a trial would run now. Raises EnvironmentFaultError."""
        with _engine(self._connect, patience_s=ENGINE_LOST_SECONDS) as api:
            return {"image": _patiently(lambda: _image(api, image))["Id"].removeprefix("sha256:")[:16]}

    def run(
        self,
        request: TrialRequest,
        *,
        on_progress: OnProgress | None = None,
        cancel: threading.Event | None = None,
    ) -> RunResult:
        """Run one attempt to its end, or follow the container of the same attempt that already exists."""
        try:
            with _engine(self._connect, patience_s=ENGINE_LOST_SECONDS) as api:
                spec = _patiently(lambda: _pinned(api, request))
                container = _patiently(lambda: _attach(api, spec, request))
                try:
                    return _Follower(api, container, spec, request, cancel or threading.Event()).result(on_progress)
                finally:
                    _remove(api, container)
        except EnvironmentFaultError as error:
            return RunResult(TrialState.FAILED, FailureClass.ENVIRONMENT_ERROR, str(error), None, 0.0)

    def sweep(self, is_leaked: Callable[[str], bool]) -> list[str]:
        """Remove our containers whose trial nothing waits for any more, and whatever outlived its deadline by far.

        Args:
            is_leaked: whether the trial of this id has ended or never existed.

        Returns:
            Names of the removed containers.

        Raises:
            EnvironmentFaultError: when the engine cannot be reached.
        """
        with _engine(self._connect) as api:
            ours = api.containers(all=True, filters={"label": TRIAL_LABEL})
            leaked = [c for c in ours if is_leaked(c["Labels"][TRIAL_LABEL]) or _expired(c)]
            for container in leaked:
                _remove(api, container["Id"])
            return [c["Labels"][TRIAL_LABEL] for c in leaked]


@contextlib.contextmanager
def _engine(connect: Callable[[], Any], *, patience_s: float = 0.0) -> Iterator[Any]:
    """A client of the engine. Whatever the engine refuses on the way becomes an environment fault.

    An engine whose socket is there and refuses is being restarted: it is waited for. Without a socket there is none.
    """
    deadline = time.monotonic() + patience_s
    while True:
        try:
            api = connect()
            break
        except DockerException as error:
            if "refused" not in str(error) or time.monotonic() > deadline:
                raise EnvironmentFaultError(f"no Docker engine answers: {error}") from None
            time.sleep(POLL_SECONDS[1])
    try:
        yield api
    except (APIError, RequestException) as error:
        raise EnvironmentFaultError(f"the Docker engine refused: {_words(error)}") from error
    finally:
        api.close()


def _image(api: Any, name: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = api.inspect_image(name)
    except ImageNotFound:
        raise EnvironmentFaultError(f"the engine has no image {name!r}; build it (make images) or pull it") from None
    return found


def _pinned(api: Any, request: TrialRequest) -> ContainerSpec:
    """The specification with the image's digest for its name, so that it cannot be swapped before the start."""
    image = _image(api, request.image)
    labels = image["Config"].get("Labels") or {}
    built_from = labels.get(CODE_LABEL)
    if request.code_enters:
        _require_lock(request, labels.get(LOCK_LABEL), is_ours=built_from not in {None, "unknown"})
    elif request.code_sha256 and built_from not in {None, "unknown", request.code_sha256}:
        raise EnvironmentFaultError(
            f"image {request.image!r} was built from other code ({built_from}) than {request.workdir.name} "
            f"({request.code_sha256}); build it again (make images)"
        )
    return replace(container_spec(request), image=image["Id"])


def _require_lock(request: TrialRequest, built_for: str | None, *, is_ours: bool) -> None:
    """Raise EnvironmentFaultError where the image does not bring the packages of the code that enters it.

    An image of somebody else's making has no label; what it brings is theirs to know.
    """
    if built_for == request.lock_sha256 or (built_for is None and not is_ours):
        return
    raise EnvironmentFaultError(
        f"image {request.image!r} was built for requirements.lock {built_for or 'unknown'}, and this code has "
        f"{request.lock_sha256}; build it again (make images)"
    )


def _attach(api: Any, spec: ContainerSpec, request: TrialRequest) -> str:
    """Id of the trial's container: the one that already ran or runs, else a new one, started."""
    host_config = api.create_host_config(**host_limits(spec))
    deadline = time.monotonic() + NAME_TAKEN_SECONDS
    while True:
        if existing := _existing(api, spec):
            return existing
        try:
            container: str = api.create_container(**container_arguments(spec), host_config=host_config)["Id"]
            break
        except APIError as error:  # another worker was faster, or the engine is still removing a former one
            if error.status_code != CONFLICT or time.monotonic() > deadline:
                raise
            time.sleep(POLL_SECONDS[0])
    try:
        api.put_archive(container, CONTAINER_DATA_DIR, pack(request.data_dir))
        if spec.code:
            api.put_archive(container, CONTAINER_CODE_DIR, pack_code(request.workdir))
        api.start(container)
    except BaseException:
        _remove(api, container)
        raise
    return container


def _existing(api: Any, spec: ContainerSpec) -> str | None:
    """A started container of exactly this trial; one that never started, or does something else, is removed."""
    try:
        found = api.inspect_container(spec.name)
    except NotFound:
        return None
    labels = found["Config"].get("Labels") or {}
    if TRIAL_LABEL not in labels:
        raise EnvironmentFaultError(f"another program's container has the name {spec.name!r}")
    if labels.get(SPEC_LABEL) == spec.key and _moment(found["State"]["StartedAt"]):
        log.info("found the container of trial %s again", spec.name)
        return str(found["Id"])
    _remove(api, found["Id"])
    return None


def _expired(container: Mapping[str, Any]) -> bool:
    """Whether it has existed for so long that no worker can still be following it."""
    deadline = float(container["Labels"].get(DEADLINE_LABEL, "inf"))
    return bool(time.time() > container["Created"] + deadline + SPARE_SECONDS)


def _remove(api: Any, container: str) -> None:
    try:
        _patiently(lambda: api.remove_container(container, force=True, v=True))
    except NotFound:
        return
    except (APIError, RequestException) as error:
        log.warning("container %s is left for the sweeper: %s", container[:12], _words(error))


class _Follower:
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
        except (NotFound, RequestException, APIError) as error:
            message = f"its container was lost: {_words(error)}"
            return RunResult(TrialState.FAILED, FailureClass.KILLED, message, None, time.monotonic() - started)
        progress.complete(self.request.output_dir / "train.log")
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
            _patiently(progress.read)
            state = self._state()
        _patiently(progress.read)
        return None

    def _stop(self, failure: FailureClass | None, message: str) -> tuple[FailureClass | None, str]:
        try:
            _patiently(lambda: self.api.kill(self.container))
        except APIError as error:
            if error.status_code != CONFLICT:  # it ended by itself meanwhile
                raise
        _patiently(lambda: self.api.wait(self.container, timeout=CALL_SECONDS))
        return failure, message

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = _patiently(lambda: self.api.inspect_container(self.container)["State"])
        return state

    def _note_usage(self) -> None:
        """Memory and processor time as the engine counts them; of the last second before the end it tells nothing."""
        with contextlib.suppress(APIError, RequestException, KeyError, ValueError):
            told = self.api.stats(self.container, stream=False, one_shot=True)
            self.cpu_s = max(self.cpu_s or 0.0, told["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9)
            memory = told["memory_stats"]
            details = memory["stats"]
            cache = details.get("total_inactive_file", details.get("inactive_file", 0))
            self.peak_memory_mb = max(self.peak_memory_mb or 0.0, (memory["usage"] - cache) / 2**20)

    def _collect(self) -> str | None:
        """Copy the output out; returns why it is unfit, if it is."""
        target = self.request.output_dir
        try:
            chunks, _ = _patiently(lambda: self.api.get_archive(self.container, CONTAINER_OUTPUT_DIR))
            with contextlib.closing(chunks):
                unpack(chunks, target, limit_mb=self.spec.output_mb)
        except UnfitOutputError as error:
            return str(error)
        finally:
            if not (target / "train.log").exists():  # an image without our entrypoint
                words = self.api.logs(self.container, tail=LOG_TAIL_LINES)
                (target / "train.log").write_bytes(words)
        return None


def _patiently(call: Callable[[], T]) -> T:
    """Call the engine again while it is away. Raises what it last raised; an answer, even a refusal, is final."""
    deadline = time.monotonic() + ENGINE_LOST_SECONDS
    while True:
        try:
            return call()
        except APIError:  # a RequestException too, but an answer
            raise
        except RequestException:
            if time.monotonic() > deadline:
                raise
            log.warning("the Docker engine does not answer; trying again")
            time.sleep(POLL_SECONDS[1])


def _seconds(state: Mapping[str, Any]) -> float:
    """How long the container has run, or ran."""
    started, finished = _moment(state["StartedAt"]), _moment(state["FinishedAt"])
    if started is None:
        return 0.0
    if finished is None or finished < started or state["Running"]:
        finished = datetime.now(UTC)
    return max(0.0, (finished - started).total_seconds())


def _moment(text: str) -> datetime | None:
    """Parse the engine's nanosecond timestamps; its zero means never."""
    if text.startswith("0001-"):
        return None
    return datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S").replace(
        tzinfo=UTC, microsecond=int(text[20:-1].ljust(6, "0")[:6]) if "." in text else 0
    )


def _words(error: Exception) -> str:
    return str(getattr(error, "explanation", None) or error)[:300]
