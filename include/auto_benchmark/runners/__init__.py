"""Where trials run: one protocol, one module per place. Adding a place is one file and one line here."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from typing import cast

from auto_benchmark.errors import InputError
from auto_benchmark.runners.runner import Runner

RUNNERS = {
    "local": "auto_benchmark.runners.local:LocalRunner",
    "docker": "auto_benchmark.runners.docker:DockerRunner",
    "kubernetes": "auto_benchmark.runners.kubernetes:KubernetesRunner",
}


ON_THIS_MACHINE = ("docker", "local")
"""Where the command line runs trials; a cluster is Airflow's business."""


def runner(name: str, among: Collection[str] = RUNNERS) -> Runner:
    """Make the runner called ``name``. Raises InputError when there is none ``among`` those that may be used."""
    if name not in among:
        known = name in RUNNERS
        wrong = f"the command line does not run trials on {name}" if known else f"no runner is called {name!r}"
        raise InputError(f"{wrong}; there are {', '.join(sorted(among))}")
    module, _, attribute = RUNNERS[name].partition(":")
    return cast(Runner, getattr(import_module(module), attribute)())
