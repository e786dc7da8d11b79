"""Where trials run: one protocol, one module per place. Adding a place is one file and one line here."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from auto_benchmark.errors import InputError
from auto_benchmark.runners.runner import Runner

RUNNERS = {
    "local": "auto_benchmark.runners.local:LocalRunner",
    "docker": "auto_benchmark.runners.docker:DockerRunner",
    "kubernetes": "auto_benchmark.runners.kubernetes:KubernetesRunner",
}


def runner(name: str) -> Runner:
    """Make the runner called ``name``. Raises InputError when there is none."""
    if name not in RUNNERS:
        raise InputError(f"no runner is called {name!r}; there are {', '.join(sorted(RUNNERS))}")
    module, _, attribute = RUNNERS[name].partition(":")
    return cast(Runner, getattr(import_module(module), attribute)())
