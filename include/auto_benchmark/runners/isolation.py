"""What keeps trials from harming or telling each other and their machine, in words: for runs, status and reports.

One place says it for every runner, so that nothing is promised anywhere that the machine at hand does not keep.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from auto_benchmark.runners import cgroup, inherited
from auto_benchmark.runners.confinement.landlock import FIRST_WITH_SIGNALS, FIRST_WITH_TCP
from auto_benchmark.runners.confinement.plan import IPC, MOUNT, NETWORK, PID, USER, Layers
from auto_benchmark.runners.runner import EnvironmentFaultError, Runner

CONFINEMENT = Path(__file__).parent / "confinement"
PROGRAM = (sys.executable, "-I", "-S", str(CONFINEMENT))
PROBE_SECONDS = 30.0


@dataclass(frozen=True)
class Offered:
    """What this machine has for local trials of this user."""

    layers: Layers = field(default_factory=Layers)
    groups: cgroup.Places = field(default_factory=lambda: cgroup.Places(0, {}))

    @property
    def private_root(self) -> bool:
        """Whether a trial's file tree holds nothing but what it is granted."""
        return self.layers.has(MOUNT)

    @property
    def counts_files_in_memory(self) -> bool:
        """Whether files in memory count as memory."""
        return self.groups.counts(cgroup.MEMORY)

    @property
    def ends_at_once(self) -> bool:
        """Whether all processes of a trial can be ended in one step that none escapes."""
        return self.layers.has(PID) or self.layers.own_user or self.layers.seccomp

    @property
    def counts_processes(self) -> bool:
        """Whether the kernel bounds the number of a trial's processes."""
        return self.groups.counts(cgroup.PIDS) or self.layers.own_user or USER in self.layers.namespaces

    def isolated_by(self) -> tuple[str, ...]:
        """Names of the layers in force."""
        layers, groups = self.layers, self.groups
        named = {
            f"namespaces ({', '.join(layers.namespaces)})": layers.namespaces,
            "a user of its own": layers.own_user,
            f"Landlock {layers.landlock}": layers.landlock,
            "seccomp": layers.seccomp,
            f"control groups v{groups.version} ({', '.join(sorted(groups.directories))})": groups.version,
        }
        return tuple(name for name, is_there in named.items() if is_there)

    def not_isolated(self) -> tuple[str, ...]:
        """What a trial can still do here."""
        return tuple(self._missing())

    def _missing(self) -> Iterator[str]:
        layers = self.layers
        scoped = layers.landlock >= FIRST_WITH_SIGNALS
        yield "disk space of its scratch directory"
        yield "processors beyond its cpus"
        if not self.private_root and not layers.landlock:
            yield "files that the user may read" if layers.own_user else "files of the user"
        if not self.private_root and layers.landlock:
            yield "the names and times of files"
        if not self.private_root and not layers.seccomp:
            yield "Unix sockets"
        if not layers.has(PID) and not layers.own_user and not (scoped and layers.seccomp):
            yield "other processes of the user"
        if not layers.has(PID):
            yield "the command lines of other processes"
        if not layers.has(NETWORK) and not layers.seccomp:
            yield (
                "UDP and other networks than TCP"
                if layers.landlock >= FIRST_WITH_TCP
                else "TCP, UDP and all networks"
            )
        if not layers.has(IPC) and not layers.seccomp:
            yield "shared memory and queues of other trials"
        if not self.private_root and not layers.landlock:
            yield "/dev/shm"  # noqa: S108
        if not self.counts_files_in_memory:
            yield from self._uncounted()
        if not self.groups.counts(cgroup.PROCESSOR):
            yield from self._uncounted_time()
        if not self.counts_processes:
            yield "process count between two looks"
        if not self.ends_at_once:
            yield "processes that fork faster than they are killed"

    def _uncounted_time(self) -> Iterator[str]:
        """Processor time that neither a look nor a counter sees; one leaves a program that its user may not read."""
        if not self.layers.counter:
            yield "processor time between two looks"
        elif not self.layers.own_user_reads_all:
            yield "processor time between two looks, of programs that may not be read"

    def _uncounted(self) -> Iterator[str]:
        """Memory that no look from outside sees."""
        layers = self.layers
        if not (layers.seccomp and (self.private_root or layers.landlock)):
            yield "memory, in files without a name"
        if not (layers.seccomp and layers.sockets and (layers.descriptors or layers.sockets_are_told_apart)):
            yield "memory, in buffers of sockets"
        if not (layers.seccomp and layers.descriptors):
            yield "memory, in pipes and for open files"
        yield "memory, in the kernel's own tables"
        yield "memory between two looks"


@cache
def offered() -> Offered:
    """What this machine offers to this process: tried once, in processes that end at once, or found by a parent.

    Raises:
        EnvironmentFaultError: when not even that can be found out.
    """
    if sys.platform != "linux":
        return Offered()
    found = inherited.known()
    if found is not None:
        directories = {name: Path(directory) for name, directory in found["directories"].items()}
        return Offered(_layers(found["layers"]), cgroup.Places(found["version"], directories))
    try:
        asked = subprocess.run(  # noqa: S603 - our own program
            [*PROGRAM, "probe"], capture_output=True, text=True, check=True, timeout=PROBE_SECONDS, env={}
        )
        probed = json.loads(asked.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise EnvironmentFaultError(f"cannot find out how trials can be confined: {error}") from error
    return Offered(_layers(probed), cgroup.places())


def _layers(said: dict[str, Any]) -> Layers:
    return Layers(**{**said, "namespaces": tuple(said["namespaces"])})


def handed_on() -> dict[str, str]:
    """Variables for the environment of services that start processes which ask; none where nothing can be found out."""
    try:
        here = offered()
    except EnvironmentFaultError:
        return {}
    directories = {name: str(directory) for name, directory in here.groups.directories.items()}
    found = {"layers": here.layers._asdict(), "version": here.groups.version, "directories": directories}
    return inherited.variables(found)


@dataclass(frozen=True)
class IsolationReport:
    """What isolates trials of a runner here and now, and what does not."""

    runner: str
    isolated_by: tuple[str, ...]
    not_isolated: tuple[str, ...]

    def __str__(self) -> str:
        by, missing = (", ".join(words) or "nothing" for words in (self.isolated_by, self.not_isolated))
        return f"runner {self.runner} isolates by {by}; it does not isolate: {missing}"

    @property
    def document(self) -> dict[str, Any]:
        """For ``--json``."""
        return asdict(self)


NETWORK_DECLARED = "the network of this machine, its own services included, as its operator has declared"


def with_network(report: IsolationReport) -> IsolationReport:
    """The same of something that is given the machine's network."""
    by = tuple(words.replace(f"{NETWORK}, ", "").replace(f", {NETWORK}", "") for words in report.isolated_by)
    missing = tuple(words for words in report.not_isolated if "networks" not in words)
    return replace(report, isolated_by=by, not_isolated=(NETWORK_DECLARED, *missing))


def isolation_report(runner: Runner) -> IsolationReport:
    """For every run, record, status and report."""
    try:
        return IsolationReport(runner.name, tuple(runner.isolated_by), tuple(runner.not_isolated))
    except EnvironmentFaultError as error:
        return IsolationReport(runner.name, (), (f"unknown: {error}",))
