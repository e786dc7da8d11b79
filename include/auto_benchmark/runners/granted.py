"""Which paths of the machine a local trial may use: its own, the interpreter's and what every program needs."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from auto_benchmark.runners import entrypoint
from auto_benchmark.runners.cgroup import PIDS, PROCESSOR
from auto_benchmark.runners.confinement.plan import MOUNT, NETWORK, ConfinementPlan
from auto_benchmark.runners.isolation import CONFINEMENT, Offered
from auto_benchmark.runners.runner import TrialRequest
from auto_benchmark.settings import process_environment

PROGRAMS = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin")
SETTINGS = (
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
    "/etc/nsswitch.conf", "/etc/ssl/openssl.cnf",
)  # fmt: skip
"""Of ``/etc``, what the dynamic linker, the C library and Python read. It holds no secret."""
NETWORK_SETTINGS = (
    "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols",
    "/etc/ssl/certs", "/etc/pki", "/etc/ca-certificates",
)  # fmt: skip
"""By which names are found and certificates checked, for an agent that has the network. Links lead to their targets."""
IDENTITY = ("/etc/group", "/etc/passwd")
"""Read where a trial has no file tree of its own, in which it finds its own user alone."""
PROCESSORS = ("/sys/devices/system", "/sys/kernel/mm")
"""By which numerical libraries learn of processors and pages."""
DEVICES = ("/dev/full", "/dev/null", "/dev/random", "/dev/urandom")
COUNTED_DEVICES = ("/dev/zero",)
"""Mapped, it is memory that no process's own account shows: granted where all memory counts."""
GPU_DEVICES = ("nvidia*", "dri")
GPU_FACTS = ("/sys",)


def plan(
    request: TrialRequest, offered: Offered, *, program: str, scratch: str, user: int | None,
    groups: tuple[str, ...], report: int,
) -> ConfinementPlan:  # fmt: skip
    """What the confinement is told about one attempt.

    Args:
        request: the attempt.
        offered: layers to use.
        program: of the trial's command.
        scratch: a private directory for HOME and temporary files.
        user: the trial's own, if it has one.
        groups: control groups to join.
        report: descriptor for the confinement's report.
    """
    resources = request.resources
    found = shutil.which(program)
    readable = [
        *PROGRAMS, *SETTINGS, *PROCESSORS, str(request.environment or sys.prefix), sys.base_prefix, entrypoint.__file__,
        str(CONFINEMENT), str(request.workdir), str(request.data_dir), *resources.readable, *([found] if found else []),
        *(() if offered.layers.has(MOUNT) else IDENTITY), *(NETWORK_SETTINGS if request.network else ()),
    ]  # fmt: skip
    devices = [*DEVICES, *(COUNTED_DEVICES if offered.counts_files_in_memory or resources.gpus else ())]
    if resources.gpus:
        readable += [*GPU_FACTS, *filter(None, process_environment().get("LD_LIBRARY_PATH", "").split(":"))]
        devices += [str(path) for pattern in GPU_DEVICES for path in Path("/dev").glob(pattern)]
    layers = offered.layers._replace(counter=offered.layers.counter and not offered.groups.counts(PROCESSOR))
    if request.network:
        layers = layers._replace(namespaces=tuple(name for name in layers.namespaces if name != NETWORK))
    return ConfinementPlan(
        readable=tuple(readable),
        # Not its own folder: a trial that changes its code, or leaves a note beside it, changes every later trial.
        writable=(str(request.output_dir), scratch, *resources.writable),
        layers=layers,
        devices=tuple(devices),
        user=user,
        groups=groups,
        memory_mb=resources.memory_mb,
        pids=resources.pids,
        counts_files_in_memory=offered.counts_files_in_memory,
        bounds_processes=offered.groups.counts(PIDS),
        gpus=bool(resources.gpus),
        network=request.network,
        report=report,
    )
