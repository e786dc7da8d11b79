"""Results of finished trials as their folders hold them, for a caller without a database."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auto_benchmark.artifacts import trial_folder
from auto_benchmark.contract.limits import LARGEST_NUMBER
from auto_benchmark.contract.trial import Stage

MOST_READ = 400
"""Newest trials that are looked at."""


@dataclass(frozen=True, slots=True)
class StoredTrial:
    """One finished trial on the whole gate split.

    Attributes:
        configuration: equal for trials of one configuration on the same data, code and environment.
        data: version of the benchmark.
    """

    folder: Path
    configuration: str
    data: str
    seed: int
    metrics: dict[str, float]
    wall_s: float | None

    def items(self, metric: str) -> dict[str, float]:
        """Item id -> value of a metric; empty where the folder holds none."""
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            found = trial_folder.read_items(self.folder).get(metric, {})
            return _finite(found)
        return {}


def stored_trials(results: Path, benchmark: str) -> list[StoredTrial]:
    """Trials of a benchmark's gate split below ``results``, newest first; what cannot be read is passed over."""
    dated = []
    for file in results.rglob(trial_folder.METRICS) if results.is_dir() else ():
        with contextlib.suppress(OSError):
            dated.append((file.stat().st_mtime_ns, file))
    dated.sort(key=lambda pair: (-pair[0], str(pair[1])))
    return [trial for _, file in dated[:MOST_READ] for trial in _read(file.parent, benchmark)]


def _read(folder: Path, benchmark: str) -> Iterator[StoredTrial]:
    found = trial_folder.read_results(folder)
    with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
        if found is None:
            return
        config: dict[str, Any] = found["config"]
        data = config["benchmark"]
        if data["name"] != benchmark or config["stage"] != Stage.FULL or config["subset"] != 1.0:
            return
        alike = {"params": config["params"], "data": data, "environment": found["fingerprint"].get("key")}
        wall = found["measured"].get("wall_s")
        yield StoredTrial(
            folder=folder,
            configuration=json.dumps(alike, sort_keys=True),
            data=str(data["version"]),
            seed=int(config["seed"]),
            metrics=_finite(found["metrics"]),
            wall_s=float(wall) if wall is not None and 0 < float(wall) < math.inf else None,
        )


def _finite(values: Mapping[str, Any]) -> dict[str, float]:
    """The values that can be computed with; a file may hold anything."""
    return {str(name): number for name, value in values.items() if abs(number := float(value)) <= LARGEST_NUMBER}
