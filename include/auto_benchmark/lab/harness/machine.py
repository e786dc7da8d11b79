"""What this machine has for counting: versions of the toolchains, and whether its counter can be believed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from . import counter, gpu, languages, switch_off
from .confined import ConfinementError, layers
from .wrong import MissingToolError, Wrong

TOOLS: dict[str, Callable[[], str]] = {
    "c": languages.c("").tool, "cpp": languages.cpp("").tool, "go": languages.go("").tool,
    "rust": languages.rust("").tool, "python": languages.python("").tool, "valgrind": counter.version,
    "cuda": languages.cuda("").tool, "gpu": gpu.name, "ncu": gpu.version,
}  # fmt: skip


def main(_arguments: list[str]) -> int:
    """Print one JSON document: tool -> version or null, ``confined``, ``counter``: null or what is wrong with it."""
    versions = {name: _version(ask) for name, ask in TOOLS.items()}
    told: dict[str, Any] = {"tools": versions, "confined": None, "counter": None}
    try:
        layers()
        if switch_off.works():
            told["counter"] = f"valgrind {versions['valgrind']} obeys programs that switch it off"
    except ConfinementError as error:
        told["confined"] = str(error)
    except (MissingToolError, Wrong) as error:
        told["counter"] = str(error)
    sys.stdout.write(json.dumps(told) + "\n")
    return 0


def _version(ask: Callable[[], str]) -> str | None:
    try:
        return ask()
    except MissingToolError:
        return None
