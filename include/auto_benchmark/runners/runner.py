"""The runner protocol: what every place that runs trials is given, and what it gives back."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import TrialConfig, TrialState
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.registry.solution import Resources


class EnvironmentFaultError(AutoBenchmarkError):
    """Nothing can run here, whatever the configuration: no engine, no image, no device."""


@dataclass(frozen=True, slots=True)
class ProgressLine:
    """One ``AB_PROGRESS`` line."""

    step: int
    metrics: Mapping[str, float]


OnProgress = Callable[[ProgressLine], None]


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """One attempt at one trial.

    Attributes:
        trial_id: names the process or container.
        command: of the solution.
        image: container image; the local runner ignores it.
        workdir: the solution's folder; containers have it inside the image, or are given it.
        data_dir: read-only view of the benchmark.
        output_dir: existing empty directory that receives the trial's raw output and ``train.log``.
        code_sha256: of ``workdir``, where known; an image that was built from other code is refused.
        code_enters: whether a container is given ``workdir``, since its image was built from other code.
        lock_sha256: of the lock in ``workdir``; code enters no image that was built for another one.
        image_lock_sha256: of the lock in the folder that images are built from, where the code is not that folder's.
        environment: virtual environment with the solution's packages for the local runner, which else uses its own;
            images bring theirs.
        network: whether it may use the machine's network: an agent whose operator has declared it. No trial may.
    """

    trial_id: str
    command: list[str]
    image: str
    workdir: Path
    config: TrialConfig
    data_dir: Path
    output_dir: Path
    resources: Resources = field(default_factory=Resources)
    code_sha256: str | None = None
    code_enters: bool = False
    lock_sha256: str | None = None
    image_lock_sha256: str | None = None
    environment: Path | None = None
    network: bool = False

    @property
    def interpreter(self) -> str:
        """The Python of a local trial."""
        return sys.executable if self.environment is None else str(self.environment / "bin" / "python")


@dataclass(frozen=True, slots=True)
class RunResult:
    """How an attempt ended. ``output_dir`` holds what the trial wrote, unchecked.

    Attributes:
        wall_s: from start to end, s.
        peak_memory_mb: most memory in use at once, MiB; None where it cannot be known.
        cpu_s: processor time of all its processes, s; None where it cannot be known.
        cpu_at_most_s: what it could have used if it had never waited for a processor, s; None where it cannot be known.

    These four are measured outside of the trial.
    """

    state: TrialState
    failure: FailureClass | None
    message: str
    exit_code: int | None
    wall_s: float
    peak_memory_mb: float | None = None
    cpu_s: float | None = None
    cpu_at_most_s: float | None = None


class Runner(Protocol):
    """A place that runs trials. Attempts are independent; a runner keeps no state between them."""

    name: str

    @property
    def isolated_by(self) -> tuple[str, ...]:
        """What keeps a trial from others, in words for a person."""
        ...

    @property
    def not_isolated(self) -> tuple[str, ...]:
        """What this runner cannot keep a trial from using, in words for a person."""
        ...

    def facts(self, image: str) -> Mapping[str, str]:
        """What a result depends on because of this runner, for the fingerprint: the image's digest, for one."""
        ...

    def run(
        self,
        request: TrialRequest,
        *,
        on_progress: OnProgress | None = None,
        cancel: threading.Event | None = None,
    ) -> RunResult:
        """Run one attempt to its end; never raises for what the trial does."""
        ...


@runtime_checkable
class Sweeper(Protocol):
    """A place where a trial may outlive its worker."""

    def sweep(self, is_leaked: Callable[[str], bool]) -> list[str]:
        """Remove our trials for which ``is_leaked`` holds, given their names; returns the names.

        Raises:
            EnvironmentFaultError: when the place cannot be reached.
        """
        ...
