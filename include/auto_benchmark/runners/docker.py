"""Starts a trial in a hardened container of a Docker engine.

The container is named after the trial, so a worker that was killed finds it again and goes on following it; what it
did is read from the engine's state and from an archive of its output volume, never from a log stream. An engine that
does not answer is waited for: with ``live-restore`` its containers survive it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from docker.errors import APIError, ImageNotFound, NotFound
from requests.exceptions import RequestException

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.runners.archive import pack, pack_code
from auto_benchmark.runners.container import (
    CODE_LABEL,
    CONTAINER_CODE_DIR,
    DEADLINE_LABEL,
    LOCK_LABEL,
    NOBODY,
    SCRATCH,
    SPARE_SECONDS,
    SPEC_LABEL,
    TRIAL_LABEL,
    ContainerSpec,
    container_spec,
)
from auto_benchmark.runners.container_calls import profile
from auto_benchmark.runners.docker_engine import (
    CONFLICT,
    ENGINE_LOST_SECONDS,
    POLL_SECONDS,
    Offers,
    engine,
    environment_engine,
    offers,
    patiently,
    words,
)
from auto_benchmark.runners.docker_follower import Follower, moment_of
from auto_benchmark.runners.entrypoint import LARGEST_LOG_BYTES
from auto_benchmark.runners.environment import CONTAINER_DATA_DIR, CONTAINER_OUTPUT_DIR
from auto_benchmark.runners.runner import EnvironmentFaultError, OnProgress, RunResult, TrialRequest

log = logging.getLogger(__name__)
NAME_TAKEN_SECONDS = 10.0
LARGEST_DOCKER_LOG = "8m"
NOTHING = "ro,nosuid,nodev,noexec,mode=0,size=4k"
"""Options of a file system that stands in another's place, empty and closed."""


class DockerRunner:
    """A trial as a container.

    Args:
        connect: makes an ``APIClient`` of the engine.
    """

    name = "docker"
    isolated_by: tuple[str, ...] = ("a container of its own", "no network", "an unprivileged user without powers")
    not_isolated: tuple[str, ...] = (
        "disk space of its output volume while it runs",
        "memory of several processes between two looks",
        "memory, in buffers of sockets, of trials with GPUs, and of all where the engine has no seccomp",
        "memory, in locks on files and between two looks, where the image has another entrypoint than ours",
    )

    def __init__(self, connect: Callable[[], Any] = environment_engine) -> None:
        self._connect = connect

    def facts(self, image: str) -> Mapping[str, str]:
        """Digest of the image that a trial would run now. Raises EnvironmentFaultError."""
        with engine(self._connect, patience_s=ENGINE_LOST_SECONDS) as api:
            return {"image": patiently(lambda: _image(api, image))["Id"].removeprefix("sha256:")[:16]}

    def run(
        self,
        request: TrialRequest,
        *,
        on_progress: OnProgress | None = None,
        cancel: threading.Event | None = None,
    ) -> RunResult:
        """Run one attempt to its end, or follow the container of the same attempt that already exists."""
        try:
            with engine(self._connect, patience_s=ENGINE_LOST_SECONDS) as api:
                spec = patiently(lambda: _pinned(api, request))
                container = patiently(lambda: _attach(api, spec, request))
                try:
                    return Follower(api, container, spec, request, cancel or threading.Event()).result(on_progress)
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
        with engine(self._connect) as api:
            ours = api.containers(all=True, filters={"label": TRIAL_LABEL})
            leaked = [c for c in ours if is_leaked(c["Labels"][TRIAL_LABEL]) or _expired(c)]
            for container in leaked:
                _remove(api, container["Id"])
            return [c["Labels"][TRIAL_LABEL] for c in leaked]


def host_limits(spec: ContainerSpec, offered: Offers) -> dict[str, Any]:
    """Keyword arguments of docker-py's ``create_host_config``: plain values only.

    A trial with GPUs has sockets of every kind that their libraries use, whether their memory counts or not. Terminals
    (``/dev/pts``) have buffers that no control group counts; no trial gets one.
    """
    file_bytes = max(spec.output_mb * 2**20, LARGEST_LOG_BYTES)
    limits: dict[str, Any] = {
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "mem_limit": spec.memory_mb * 2**20,
        "memswap_limit": spec.memory_mb * 2**20,
        "nano_cpus": int(spec.cpus * 1e9),
        "pids_limit": spec.pids,
        "tmpfs": {SCRATCH: f"rw,nosuid,nodev,exec,mode=1777,size={spec.tmp_mb}m", "/dev/pts": NOTHING},
        "ulimits": [
            {"Name": "fsize", "Soft": file_bytes, "Hard": file_bytes},
            {"Name": "core", "Soft": 0, "Hard": 0},
        ],
        "log_config": {"Type": "json-file", "Config": {"max-size": LARGEST_DOCKER_LOG, "max-file": "1"}},
        "auto_remove": False,
    }
    if offered.filters_calls:
        calls = profile(loopback=offered.counts_sockets or spec.gpus > 0, netlink=spec.gpus > 0)
        limits["security_opt"].append(f"seccomp={calls}")
    if spec.gpus:
        limits["device_requests"] = [{"count": spec.gpus, "capabilities": [["gpu"]]}]
    return limits


def container_arguments(spec: ContainerSpec) -> dict[str, Any]:
    """Keyword arguments of docker-py's ``create_container`` besides ``host_config``.

    Data, output and code that enters are anonymous volumes: the image gives ``/ab/out`` its mode, and archives can be
    copied in before the start and out after the end, which neither a bind mount nor a tmpfs allows an unprivileged user.
    """
    code = {"working_dir": CONTAINER_CODE_DIR} if spec.code else {}
    volumes = [CONTAINER_OUTPUT_DIR, CONTAINER_DATA_DIR, *code.values()]
    return code | {
        "image": spec.image,
        "command": list(spec.command),
        "name": spec.name,
        "environment": dict(spec.environment),
        "labels": spec.labels,
        "user": f"{NOBODY}:{NOBODY}",
        "volumes": volumes,
        "stop_signal": "SIGKILL",
    }


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
    host_config = api.create_host_config(**host_limits(spec, offers(api)))
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
    if labels.get(SPEC_LABEL) == spec.key and moment_of(found["State"]["StartedAt"]):
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
        patiently(lambda: api.remove_container(container, force=True, v=True))
    except NotFound:
        return
    except (APIError, RequestException) as error:
        log.warning("container %s is left for the sweeper: %s", container[:12], words(error))
