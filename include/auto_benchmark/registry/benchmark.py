"""``benchmark.yaml``: the data a solution is measured on, its splits, its scorer and the boards it stands for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field, StrictBool, StrictStr

from auto_benchmark.documents import Path, Strict
from auto_benchmark.registry.names import Count, Name, Slug


class BoardMetric(Strict):
    """The metric by which a leaderboard ranks this benchmark.

    Attributes:
        unit: of our measurement, where it is a share; found by its values where it is not given.
    """

    metric: Slug
    higher_is_better: StrictBool
    unit: Literal["share", "percent"] | None = None


class SecondaryMetric(Strict):
    """A further metric that the scorer gives, and its direction."""

    name: Slug
    higher_is_better: StrictBool


class Split(Strict):
    """One seeded part of the data.

    Attributes:
        seed: of the generator. Required for ``train``. For ``search`` and ``gate`` it is the published one, used in
            tests and in comparisons that anybody can repeat; an installation draws its own. Absent for ``hidden``,
            whose seed only the arena knows.
        worlds: generated conversations (or whatever unit the generator counts).
        sha256: of the canonical bytes that the declared seed gives, inputs and answers together.
    """

    seed: int | None = Field(default=None, strict=True)
    worlds: Count
    sha256: StrictStr | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")


class Splits(Strict):
    """``train`` is seen with answers; ``search`` steers, ``gate`` decides, ``hidden`` stays in the arena."""

    train: Split
    search: Split
    gate: Split
    hidden: Split


class Benchmark(Strict):
    """A folder under ``benchmarks/``.

    Attributes:
        generator: module beside this file with ``generate(seed, worlds) -> Data``.
        scorer: module beside this file that holds to the scorer protocol, or ``self_reported``.
        boards: leaderboard name -> metric.
        secondary: further metrics that the scorer gives; with a direction where the name does not say it.
    """

    name: Slug
    version: StrictStr
    task: StrictStr
    generator: StrictStr
    scorer: StrictStr | Literal["self_reported"]
    boards: dict[Name, BoardMetric] = Field(min_length=1)
    secondary: list[Slug | SecondaryMetric] = []
    slices: list[Slug] = []
    splits: Splits

    @property
    def secondary_names(self) -> list[str]:
        """Names of the secondary metrics."""
        return [metric if isinstance(metric, str) else metric.name for metric in self.secondary]

    @property
    def directions(self) -> dict[str, bool]:
        """Metric -> whether higher is better, as far as this file declares it."""
        declared = {m.name: m.higher_is_better for m in self.secondary if isinstance(m, SecondaryMetric)}
        return declared | {board.metric: board.higher_is_better for board in self.boards.values()}

    def problems(self) -> Iterator[tuple[Path, str]]:
        """Splits whose seeds would leak."""
        if self.splits.hidden.seed is not None:
            yield ("splits", "hidden", "seed"), "the hidden seed is drawn by the arena and never written down"
        seeds = [getattr(self.splits, name).seed for name in ("train", "search", "gate")]
        for i, name in enumerate(("train", "search", "gate")):
            if seeds[i] is None:
                if name == "train":
                    yield ("splits", name, "seed"), "is required"
            elif seeds[i] in seeds[:i]:
                yield ("splits", name, "seed"), "two splits with one seed hold the same items"
