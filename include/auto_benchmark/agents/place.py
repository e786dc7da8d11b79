"""Where an agent that is a program runs: as a confined process of this machine, or in a container of its engine."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from auto_benchmark import trees
from auto_benchmark.artifacts.trial_folder import LOG
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.errors import InputError
from auto_benchmark.runners.isolation import IsolationReport, isolation_report
from auto_benchmark.runners.local import LocalRunner
from auto_benchmark.runners.runner import EnvironmentFaultError, RunResult, TrialRequest

if TYPE_CHECKING:
    from auto_benchmark.runners import container_job

NOBODY = "65534:65534"


class AgentPlace(Protocol):
    """Runs the agent's part of an attempt."""

    @property
    def python(self) -> str:
        """The interpreter there."""
        ...

    @property
    def isolation(self) -> IsolationReport:
        """What keeps the agent from others there, and what does not: for reports."""
        ...

    def run(self, request: TrialRequest) -> RunResult:
        """Run it to its end; ``train.log`` in the request's output directory holds what it printed."""
        ...


@dataclass(frozen=True, slots=True)
class Here:
    """A confined process of this machine."""

    @property
    def python(self) -> str:
        """This package's own."""
        return sys.executable

    @property
    def isolation(self) -> IsolationReport:
        """See the protocol."""
        return isolation_report(LocalRunner())

    def run(self, request: TrialRequest) -> RunResult:
        """See the protocol."""
        return LocalRunner().run(request)


@dataclass(frozen=True, slots=True)
class InContainer:
    """A container of an engine on this machine, without a network; its folders are this machine's, by the same paths.

    Attributes:
        image: which has to bring ``python3``.
    """

    image: str

    @property
    def python(self) -> str:
        """The image's."""
        return "python3"

    @property
    def isolation(self) -> IsolationReport:
        """See the protocol."""
        by = ("a container of its own", "no network", "an unprivileged user")
        return IsolationReport("container", by, ("disk space of its folder while it runs",))

    def run(self, request: TrialRequest) -> RunResult:
        """See the protocol."""
        from auto_benchmark.runners import container_job

        own, limits = request.output_dir, request.resources
        own.chmod(0o777)  # the container's user is nobody of this machine
        variables = {"AB_DATA_DIR": str(request.data_dir), "AB_OUTPUT_DIR": str(own), "HOME": str(own)}
        readable = {str(request.data_dir), *map(str, limits.readable)}
        job = container_job.Job(
            request.image or self.image, tuple(request.command), str(own), request.config.budget_s, variables,
            binds={**dict.fromkeys(sorted(readable), "ro"), str(own): "rw"}, user=NOBODY, memory_mb=limits.memory_mb,
            cpus=limits.cpus, pids=limits.pids,
        )  # fmt: skip
        try:
            ended = container_job.run(job, collect="", target=Path(), limit_mb=0)
        except (EnvironmentFaultError, InputError) as error:
            return RunResult(TrialState.FAILED, FailureClass.ENVIRONMENT_ERROR, str(error), None, 0.0)
        write_log(own, ended.log)
        return _result(ended)


def write_log(own: Path, words: str) -> None:
    """Write down what a container has printed, in the folder that it could write: a link of that name leads elsewhere."""
    trees.make_way(own / LOG)
    with (own / LOG).open("x", encoding="utf-8") as log:
        log.write(words)


def _result(ended: container_job.JobEnd) -> RunResult:
    if ended.code is None:
        return RunResult(TrialState.FAILED, FailureClass.TIMEOUT, "did not end in time", None, ended.seconds)
    if ended.code == 0:
        return RunResult(TrialState.DONE, None, "", 0, ended.seconds)
    last = ended.log.strip().rpartition("\n")[2][:300]
    message = f"exit code {ended.code}{': ' + last if last else ''}"
    return RunResult(TrialState.FAILED, FailureClass.CRASH, message, ended.code, ended.seconds)
