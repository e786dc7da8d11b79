"""What one trial is granted and in which layers it is confined, as the runner tells the confinement: JSON."""

from __future__ import annotations

import json
from typing import NamedTuple

MOUNT, PID, NETWORK, IPC, NAME = "mount", "pid", "network", "ipc", "name"
NAMESPACES = (MOUNT, PID, NETWORK, IPC, NAME)
USER = "user"
"""A namespace too: where it is needed to make the others."""


class Layers(NamedTuple):
    """What a machine offers, or what a trial is confined in.

    Attributes:
        namespaces: names from :data:`NAMESPACES`, and :data:`USER` where only that allows the others.
        landlock: version of the kernel's Landlock, 0 without.
        seccomp: whether system calls can be filtered.
        own_user: whether trials can run as a user of their own.
        sockets: whether the kernel lists sockets with the memory that they hold.
        descriptors: whether the open files of trials can be seen.
        counter: whether the kernel adds up the processor time of a process and all that it starts.
    """

    namespaces: tuple[str, ...] = ()
    landlock: int = 0
    seccomp: bool = False
    own_user: bool = False
    sockets: bool = False
    descriptors: bool = False
    counter: bool = False

    def has(self, *names: str) -> bool:
        """Whether the trial has all of these namespaces of its own."""
        return set(names) <= set(self.namespaces)

    @property
    def sockets_are_told_apart(self) -> bool:
        """Whether a trial's sockets differ from all others by their network or their user."""
        return self.own_user or self.has(NETWORK)

    @property
    def own_user_reads_all(self) -> bool:
        """Whether root's trials may read what root may: other layers bound it to what is granted."""
        return self.own_user and self.seccomp and bool(self.landlock or self.has(MOUNT))


class ConfinementPlan(NamedTuple):
    """How to confine one trial.

    Attributes:
        readable: files and directories, without their links resolved.
        writable: likewise.
        devices: files below ``/dev``.
        layers: to use; each of them must hold.
        user: number of the trial's own user and group; None keeps the runner's.
        groups: directories of control groups to join.
        memory_mb: largest size of shared memory, MiB.
        pids: most processes and threads.
        counts_files_in_memory: whether a control group does.
        bounds_processes: whether a control group does.
        gpus: whether the trial has devices whose driver writes below its own ``/proc``.
        network: whether the machine's network may be used: sockets of the internet's families, and TCP.
        report: descriptor to which processor time and memory are reported; -1 = not reported.
    """

    readable: tuple[str, ...]
    writable: tuple[str, ...]
    layers: Layers
    devices: tuple[str, ...] = ()
    user: int | None = None
    groups: tuple[str, ...] = ()
    memory_mb: int = 1024
    pids: int = 256
    counts_files_in_memory: bool = False
    bounds_processes: bool = False
    gpus: bool = False
    network: bool = False
    report: int = -1

    def to_json(self) -> str:
        """One line."""
        return json.dumps({**self._asdict(), "layers": self.layers._asdict()})

    @classmethod
    def from_json(cls, text: str) -> ConfinementPlan:
        """The plan that :meth:`to_json` wrote."""
        told = json.loads(text)
        told["layers"] = Layers(**{**told["layers"], "namespaces": tuple(told["layers"]["namespaces"])})
        return cls(**told)

    @property
    def memory_counts(self) -> bool:
        """Whether the kernel may keep for the trial what no look from outside sees: CUDA makes files without a name."""
        return self.counts_files_in_memory or self.gpus

    @property
    def restricts_late(self) -> bool:
        """Whether Landlock comes after the entrypoint.

        CUDA names its threads by writing to ``/proc/self/task/*/comm`` and finds no device where it may not (driver
        580). Where ``/proc`` is the machine's, that can be allowed only to the process that is restricted itself.
        """
        return self.gpus and bool(self.layers.landlock) and not self.layers.has(MOUNT, PID)
