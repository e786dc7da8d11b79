"""A container for one command: files go in, a folder comes out. For tasks whose image is somebody else's.

Nothing of a trial's contract is asked of the image: no entrypoint, no user, no volumes. The container has no network, and
bounds like a trial's; what comes out of it is hostile.
"""

from __future__ import annotations

import contextlib
import io
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import docker
from docker.errors import APIError, BuildError, DockerException, ImageNotFound, NotFound
from requests.exceptions import RequestException

from auto_benchmark.errors import InputError
from auto_benchmark.runners.archive import UnfitOutputError, unpack
from auto_benchmark.runners.docker import LARGEST_DOCKER_LOG
from auto_benchmark.runners.runner import EnvironmentFaultError

BY_SOCKET = "http+docker://localhost"
"""What docker-py calls the address of an engine on this machine."""
JOB_LABEL = "auto-benchmark.job"
DEEPEST = 16
POLL_SECONDS = 0.1
LOG_LINES = 200
CALL_SECONDS = 60
Connect = Callable[[], Any]


def local_engine() -> Any:
    """A client of the engine that ``DOCKER_HOST`` names, or of the machine's own. Raises DockerException."""
    return docker.from_env(timeout=CALL_SECONDS)


@dataclass(frozen=True, slots=True)
class Job:
    """What one container does.

    Attributes:
        image: its id or name.
        command: instead of the image's own entrypoint and command.
        workdir: its working directory.
        seconds: of the wall clock.
        environment: variables besides the image's.
        files: absolute path in the container -> content and mode of what is put there before the start.
        binds: path of this machine, the same in the container -> ``ro`` or ``rw``; needs an engine on this machine.
        user: ``uid:gid``; '' is the image's own.
        memory_mb, cpus, pids: bounds.
    """

    image: str
    command: tuple[str, ...]
    workdir: str
    seconds: float
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, tuple[bytes, int]] = field(default_factory=dict)
    binds: Mapping[str, str] = field(default_factory=dict)
    user: str = ""
    memory_mb: int = 2048
    cpus: float = 1.0
    pids: int = 256


@dataclass(frozen=True, slots=True)
class JobEnd:
    """How it ended.

    Attributes:
        code: exit code; None when it was stopped.
        log: the end of what it printed.
        seconds: that it ran.
    """

    code: int | None
    log: str
    seconds: float


def built(folder: Path, *, name: str, seconds: float, connect: Connect = local_engine) -> str:
    """Build the image of a folder with a ``Dockerfile``; returns its id.

    Raises:
        InputError: the Dockerfile cannot be built; the last line says why. EnvironmentFaultError: there is no engine.
    """
    with _engine(connect) as client:
        try:
            image, _ = client.images.build(path=str(folder), tag=name, rm=True, forcerm=True, timeout=int(seconds))
        except (BuildError, APIError, TypeError) as error:
            raise InputError(f"{folder / 'Dockerfile'}: cannot be built: {_last_line(error)}") from None
        return str(image.id)


def workdir_of(image: str, *, connect: Connect = local_engine) -> str:
    """The working directory that an image declares; ``/`` where it declares none."""
    with _engine(connect) as client:
        return str(client.api.inspect_image(image)["Config"].get("WorkingDir") or "/")


def copied_out(image: str, path: str, target: Path, *, limit_mb: int, connect: Connect = local_engine) -> None:
    """Copy the regular files below a path of an image into an existing folder. Raises InputError."""
    job = Job(image, ("true",), "/", 0)
    with _engine(connect) as client, _container(client.api, job) as container:
        _collect(client.api, container, path, target, limit_mb)


def run(job: Job, *, collect: str, target: Path, limit_mb: int, connect: Connect = local_engine) -> JobEnd:
    """Run a job to its end or its limit.

    Args:
        job: what is run.
        collect: a folder of the container that is copied out after the end.
        target: the existing folder that it is copied into.
        limit_mb: how much that may be, MiB.
        connect: makes a client of the engine.

    Raises:
        InputError: what it left cannot be taken over. EnvironmentFaultError: of the engine.
    """
    with _engine(connect) as client:
        if job.binds and not str(client.api.base_url).startswith(BY_SOCKET):
            raise EnvironmentFaultError(
                "folders of this machine are mounted; the engine has to be reached by its socket"
            )
        return _run(client.api, job, collect, target, limit_mb)


def _run(api: Any, job: Job, collect: str, target: Path, limit_mb: int) -> JobEnd:
    with _container(api, job) as container:
        if job.files:
            api.put_archive(container, "/", _packed(job.files))
        began = time.monotonic()
        api.start(container)
        state = _followed(api, container, began + job.seconds)
        seconds = time.monotonic() - began
        words = api.logs(container, tail=LOG_LINES).decode("utf-8", "replace")
        if collect:
            _collect(api, container, collect, target, limit_mb)
        return JobEnd(None if state is None else int(state["ExitCode"]), words, seconds)


def _followed(api: Any, container: str, deadline: float) -> dict[str, Any] | None:
    """Its state at the end; None when it had to be stopped."""
    while True:
        state: dict[str, Any] = api.inspect_container(container)["State"]
        if not state["Running"]:
            return state
        if time.monotonic() > deadline:
            with contextlib.suppress(APIError):  # it has ended by itself meanwhile
                api.kill(container)
            api.wait(container, timeout=CALL_SECONDS)
            return None
        time.sleep(POLL_SECONDS)


@contextlib.contextmanager
def _container(api: Any, job: Job) -> Iterator[str]:
    """A created container that is gone afterwards, with everything of its own."""
    limits = api.create_host_config(
        network_mode="none", security_opt=["no-new-privileges"], mem_limit=job.memory_mb * 2**20,
        memswap_limit=job.memory_mb * 2**20, nano_cpus=int(job.cpus * 1e9), pids_limit=job.pids, auto_remove=False,
        binds=[f"{path}:{path}:{how}" for path, how in job.binds.items()],
        log_config={"Type": "json-file", "Config": {"max-size": LARGEST_DOCKER_LOG, "max-file": "1"}},
        ulimits=[{"Name": "core", "Soft": 0, "Hard": 0}],
    )  # fmt: skip
    made = api.create_container(
        image=job.image, entrypoint=[job.command[0]], command=list(job.command[1:]), working_dir=job.workdir,
        environment=dict(job.environment), user=job.user or None, labels={JOB_LABEL: "1"}, host_config=limits,
        stop_signal="SIGKILL",
    )  # fmt: skip
    try:
        yield str(made["Id"])
    finally:
        with contextlib.suppress(NotFound):
            api.remove_container(made["Id"], force=True, v=True)


def _collect(api: Any, container: str, path: str, target: Path, limit_mb: int) -> None:
    try:
        chunks, _ = api.get_archive(container, path)
    except NotFound:
        raise InputError(f"the container has no {path}") from None
    with contextlib.closing(chunks):
        try:
            unpack(chunks, target, limit_mb=limit_mb, deepest=DEEPEST, keeps_executables=True)
        except UnfitOutputError as error:
            raise InputError(f"{path}: {error}") from None
        except tarfile.TarError as error:
            raise EnvironmentFaultError(f"the engine's copy of {path} breaks off: {error}") from None


def _packed(files: Mapping[str, tuple[bytes, int]]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for folder in sorted({str(parent) for path in files for parent in Path(path).parents if str(parent) != "/"}):
            info = tarfile.TarInfo(folder.lstrip("/"))
            info.type, info.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(info)
        for path, (content, mode) in sorted(files.items()):
            info = tarfile.TarInfo(path.lstrip("/"))
            info.size, info.mode = len(content), mode
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


@contextlib.contextmanager
def _engine(connect: Connect) -> Iterator[Any]:
    """A client of the engine; what the engine refuses becomes an environment fault."""
    try:
        client = connect()
        client.ping()
    except (DockerException, RequestException) as error:
        raise EnvironmentFaultError(f"no Docker engine answers: {error}") from None
    try:
        yield client
    except ImageNotFound as error:
        raise EnvironmentFaultError(f"the engine has no such image: {_last_line(error)}") from None
    except (APIError, RequestException) as error:
        raise EnvironmentFaultError(f"the Docker engine refused: {_last_line(error)}") from error
    finally:
        client.close()


def _last_line(error: Exception) -> str:
    said = getattr(error, "explanation", None) or str(error)
    return str(said).strip().rpartition("\n")[2][:300]
