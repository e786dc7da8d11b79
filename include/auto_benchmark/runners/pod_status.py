"""What the status of a trial's pod says: what it waits for, what it died of, how old it is."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.runners.container import SPARE_SECONDS
from auto_benchmark.runners.runner import EnvironmentFaultError

BAD_IMAGE = {"InvalidImageName", "ErrImageNeverPull", "CreateContainerConfigError"}
PULLING = {"ErrImagePull", "ImagePullBackOff"}
"""A pull that failed is put off and tried again, by the kubelet; only some reasons will not pass."""
NO_SUCH_IMAGE = re.compile(
    r"manifest unknown|not found|no such image|does not exist|unauthorized|denied|invalid reference"
    r"|no matching manifest|no match for platform",
    re.IGNORECASE,
)
NEVER_STARTED = {"CreateContainerError", "RunContainerError"}


def pull_fault(state: Any) -> str | None:
    """Why the image has not come; None where it has."""
    waiting = state.waiting if state else None
    if waiting is None or waiting.reason not in PULLING:
        return None
    return f"{waiting.reason}: {waiting.message or 'the image cannot be pulled'}"[:300]


def failure_of(found: Any, state: Any) -> tuple[FailureClass, str] | None:
    """What the pod as a whole died of, before or beside its container; None while it lives.

    Raises:
        EnvironmentFaultError: its image cannot be had, or its container not be started.
    """
    status = found.status
    if (fault := pull_fault(state)) is not None and NO_SUCH_IMAGE.search(fault):
        raise EnvironmentFaultError(fault)
    if state and state.waiting and state.waiting.reason in BAD_IMAGE | NEVER_STARTED:
        waiting = state.waiting
        raise EnvironmentFaultError(f"{waiting.reason}: {waiting.message or 'the image cannot be started'}"[:300])
    if status.reason in {"Evicted", "Preempting", "NodeLost", "NodeShutdown", "Terminated"}:
        return FailureClass.KILLED, f"{status.reason}: {status.message or 'its node gave it up'}"[:300]
    if status.reason == "DeadlineExceeded":
        return FailureClass.TIMEOUT, "the pod's own deadline passed"
    if found.metadata.deletion_timestamp:
        return FailureClass.KILLED, "its pod is being deleted"
    if status.phase in {"Failed", "Unknown"} and not (state and state.terminated):
        return (
            FailureClass.KILLED,
            f"the pod is {status.phase}: {status.message or status.reason or 'no reason given'}",
        )
    return None


def has_expired(found: Any) -> bool:
    """Whether a pod exists for so long that no worker can be following it."""
    allowed = found.spec.active_deadline_seconds if found.spec else None
    return allowed is not None and age(found.metadata.creation_timestamp) > allowed + SPARE_SECONDS


def container_of(found: Any, name: str) -> Any:
    """The status of one of its containers; None while there is none."""
    return next((c for c in found.status.container_statuses or [] if c.name == name), None)


def why_waiting(found: Any) -> str:
    """What keeps it from a node, in the cluster's words."""
    told = [c.message or c.reason for c in found.status.conditions or [] if c.status == "False"]
    return "; ".join(filter(None, told))[:300] or f"it is {found.status.phase}"


def age(started: Any) -> float:
    """How long a container has run, s."""
    return max(0.0, (datetime.now(UTC) - started).total_seconds()) if started else 0.0


def between(started: Any, finished: Any) -> float:
    """How long a container ran, s; 0 where the cluster does not say."""
    return max(0.0, (finished - started).total_seconds()) if started and finished else 0.0
