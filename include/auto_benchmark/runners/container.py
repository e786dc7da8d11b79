"""The one specification of a trial's container, which Docker and Kubernetes both take: what it may use and see.

Hardened by default: no network, read-only root, an unprivileged user, no capabilities; memory (with swap),
processors, processes and file size are bounded. Writable are a small ``/tmp`` in memory and the volume ``/ab/out``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from auto_benchmark.runners.environment import CONTAINER_DATA_DIR, CONTAINER_OUTPUT_DIR, trial_environment
from auto_benchmark.runners.runner import TrialRequest

SCRATCH = "/tmp"  # noqa: S108 - a private tmpfs inside the container
NOBODY = 65534
TRIAL_LABEL, SPEC_LABEL, CODE_LABEL = "auto-benchmark.trial", "auto-benchmark.spec", "auto-benchmark.code"
LOCK_LABEL = "auto-benchmark.lock"
CONTAINER_CODE_DIR = "/ab/code"
"""Where code that is not the image's own lies, in a volume that the trial cannot write to."""
DEADLINE_LABEL = "auto-benchmark.deadline"
SPARE_SECONDS = 3600
"""What a container or pod may exist beyond its trial's deadline: for image, queue and collection, or a dead worker."""


@dataclass(frozen=True, slots=True)
class ContainerSpec:
    """What a trial's container may use and see.

    Attributes:
        name: the trial's id; at most one container of this name exists, which is how a restarted worker finds it.
        command: arguments of the image's entrypoint.
        memory_mb: limit, MiB, without any swap on top.
        tmp_mb: size of ``/tmp``, part of the memory.
        output_mb: largest file, and all that is collected.
        deadline_s: wall clock from the start of the container, s.
        code: checksum of the code that it is given as its working directory; '' where the image's own runs.
    """

    name: str
    image: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    cpus: float
    memory_mb: int
    pids: int
    gpus: int
    tmp_mb: int
    output_mb: int
    deadline_s: float
    code: str = ""

    @property
    def key(self) -> str:
        """Equal exactly where two containers would do the same."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    @property
    def labels(self) -> dict[str, str]:
        """By which our containers are found and told apart from everybody else's."""
        return {TRIAL_LABEL: self.name, SPEC_LABEL: self.key, DEADLINE_LABEL: str(int(self.deadline_s))}


def container_spec(request: TrialRequest) -> ContainerSpec:
    """The container of one attempt at a trial."""
    limits = request.resources
    environment = trial_environment(
        request, data_dir=CONTAINER_DATA_DIR, output_dir=CONTAINER_OUTPUT_DIR, scratch=SCRATCH
    )
    return ContainerSpec(
        name=request.trial_id,
        image=request.image,
        command=tuple(request.command),
        environment=environment,
        cpus=limits.cpus,
        memory_mb=limits.memory_mb,
        pids=limits.pids,
        gpus=limits.gpus,
        tmp_mb=max(16, limits.memory_mb // 4),
        output_mb=limits.output_mb,
        deadline_s=request.config.budget_s,
        code=(request.code_sha256 or "") if request.code_enters else "",
    )
