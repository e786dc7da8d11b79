"""A Docker engine and patience with it: one that does not answer is waited for."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import docker
from docker.errors import APIError, DockerException
from requests.exceptions import RequestException

from auto_benchmark.runners.runner import EnvironmentFaultError

log = logging.getLogger(__name__)
T = TypeVar("T")
CALL_SECONDS = 60
ENGINE_LOST_SECONDS = 120.0
POLL_SECONDS = (0.1, 1.0)
CONFLICT = 409
"""Status of a refusal because another call was faster."""


def environment_engine() -> Any:
    """A client of the engine that ``DOCKER_HOST`` names, or of the machine's own. Raises DockerException."""
    return docker.from_env(timeout=CALL_SECONDS).api


@contextlib.contextmanager
def engine(connect: Callable[[], Any], *, patience_s: float = 0.0) -> Iterator[Any]:
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
        raise EnvironmentFaultError(f"the Docker engine refused: {words(error)}") from error
    finally:
        api.close()


class Offers(NamedTuple):
    """What an engine does for its containers.

    Attributes:
        filters_calls: takes a seccomp profile.
        counts_sockets: buffers of TCP and UDP count as a container's memory, as with control groups v2.
    """

    filters_calls: bool
    counts_sockets: bool


def offers(api: Any) -> Offers:
    """What this engine says about itself; one that does not name its control groups has those of version 1."""
    said = api.info()
    options = said.get("SecurityOptions") or ()
    return Offers(any("name=seccomp" in option for option in options), said.get("CgroupVersion") == "2")


def patiently(call: Callable[[], T]) -> T:
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


def words(error: Exception) -> str:
    """What the engine said, bounded."""
    return str(getattr(error, "explanation", None) or error)[:300]
