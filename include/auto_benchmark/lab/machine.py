"""What this machine can count: asked once per process, of the harness itself."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.lab.verification import ask_harness

ANSWER_S = 120.0
COUNTER = "valgrind"
PROGRAMS = {"c": "gcc", "cpp": "g++", "rust": "rustc", "cuda": "nvcc"}
"""Of toolchains, where a program has another name: what a person has to install."""


@dataclass(frozen=True)
class Machine:
    """Tools of this machine.

    Attributes:
        tools: tool -> version, None where it is missing.
        unsealed: why candidates cannot be confined here, or None.
        uncounted: why counts cannot be believed here, or None.
    """

    tools: Mapping[str, str | None]
    unsealed: str | None
    uncounted: str | None

    def missing(self, toolchain: Mapping[str, str]) -> list[str]:
        """Programs of a task's toolchain that are not installed here."""
        return [PROGRAMS.get(name, name) for name in toolchain if self.tools.get(name) is None]

    def differing(self, toolchain: Mapping[str, str]) -> list[str]:
        """What is installed here in another version than the task's anchors were measured with."""
        return [
            f"{name} {self.tools[name]} instead of {wanted}"
            for name, wanted in toolchain.items()
            if self.tools.get(name) is not None and not f"{self.tools[name]}.".startswith(f"{wanted}.")
        ]


@cache
def machine() -> Machine:
    """What the harness finds here. Raises AutoBenchmarkError when it does not answer."""
    try:
        asked = ask_harness(["machine"], ANSWER_S)
        asked.check_returncode()
        told = json.loads(asked.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise AutoBenchmarkError(f"cannot find out what this machine can count: {error}") from error
    return Machine(told["tools"], told["confined"], told["counter"])
