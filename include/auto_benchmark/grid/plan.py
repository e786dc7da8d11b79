"""Which runs a sweep consists of, in which order, under which folder names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from auto_benchmark.contract.seed_batches import seed_batches
from auto_benchmark.grid.spec import Configuration, Dataset, SweepSpec

LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class GridRun:
    """One configuration with one seed on one task."""

    id: str
    configuration: Configuration
    dataset: Dataset
    seed: int


def plan(spec: SweepSpec) -> list[GridRun]:
    """Every run, seed by seed across the configurations.

    With the seed outermost a sweep that its budget ends early has all configurations at about the same number of
    seeds, and slow drift of the machine meets them all alike.
    """
    several = len(spec.datasets) > 1
    names = {c.name: _folder_name(c.name) for c in spec.configurations}
    if len({name.lower() for name in names.values()}) < len(names):
        names = {name: f"{short}-{_digest(name)}" for name, short in names.items()}
    return [
        GridRun(
            id="-".join([names[c.name], *([d.name, d.split] if several else []), f"seed{seed}"]),
            configuration=c,
            dataset=d,
            seed=seed,
        )
        for seed in spec.seeds
        for c in spec.configurations
        for d in spec.datasets
    ]


def batches(runs: Sequence[GridRun], size: int) -> list[list[GridRun]]:
    """Runs by process, at most ``size`` in each, in order of first appearance."""
    return seed_batches(runs, size)


def _folder_name(name: str) -> str:
    """A name that every file system takes and that no shell needs to quote."""
    short = re.sub(r"[^A-Za-z0-9._=+]+", "_", name).strip("._") or "configuration"
    return short if len(short) <= LONGEST_NAME else f"{short[:LONGEST_NAME]}-{_digest(name)}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:6]
