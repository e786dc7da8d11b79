"""Takes a secret seed out of the rows that were made with it: an id such as ``<seed>-17`` would tell it to a trial."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, cast

from auto_benchmark.artifacts.benchmark_module import Data

TOO_SHORT = 2**32
"""A seed below this could be guessed anyway, and stands in texts by chance."""


def without_seed(data: Data, seed: int) -> Data:
    """The rows with a fingerprint wherever the seed stands in them, as a number or in a text."""
    if seed < TOO_SHORT:
        return data
    tag = hashlib.sha256(f"in place of {seed}".encode()).hexdigest()[:12]

    def cleared(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace(str(seed), tag)
        if isinstance(value, Mapping):
            return {cleared(k): cleared(v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [cleared(v) for v in value]
        return tag if value == seed and not isinstance(value, float) else value

    rows = (cleared(part) for part in (list(data.contexts), list(data.items), data.answers))
    return Data(*cast("tuple[Any, Any, Any]", tuple(rows)))
