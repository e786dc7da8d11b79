"""``benchmark.yaml``: the data a solution is measured on, its splits, its scorer and the boards it stands for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Literal

from pydantic import Field, StrictBool, StrictStr, model_validator

from auto_benchmark.documents import FieldError, Path, Strict
from auto_benchmark.registry.item_files import Fields, refused_path
from auto_benchmark.registry.names import Count, Name, Slug
from auto_benchmark.registry.slice_metrics import SLICE_GAP, SLICE_METRICS, WORST_SLICE
from auto_benchmark.registry.standard_metrics import STANDARD, unknown


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


class DeclaredSplit(Strict):
    """One part of the data: generated from a seed, or read from a file.

    Attributes:
        seed: of the generator. Required for ``train``. For ``search`` and ``gate`` it is the published one, used in
            tests and in comparisons that anybody can repeat; an installation draws its own. Absent for ``hidden``,
            whose seed only the arena knows.
        worlds: generated conversations (or whatever unit the generator counts).
        items: file beside ``benchmark.yaml`` with one item a row, instead of seed and worlds.
        sha256: of the split's canonical bytes, inputs and answers together, as the file or the declared seed gives them.
    """

    seed: int | None = Field(default=None, strict=True)
    worlds: Count | None = None
    items: StrictStr | None = None
    sha256: StrictStr | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")

    @model_validator(mode="after")
    def _one_origin(self) -> DeclaredSplit:
        if self.items is None and self.worlds is None:
            raise FieldError("items", "a split has items, a file; or worlds, where a generator makes it")
        if self.items is not None and (self.worlds is not None or self.seed is not None):
            raise FieldError("items", "a split read from a file has neither seed nor worlds")
        if self.items is not None and (reason := refused_path(self.items)):
            raise FieldError("items", reason)
        return self


class Splits(Strict):
    """``train`` is seen with answers; ``search`` steers, ``gate`` decides, ``hidden`` stays in an arena if there is one."""

    train: DeclaredSplit
    search: DeclaredSplit
    gate: DeclaredSplit
    hidden: DeclaredSplit | None = None

    @property
    def declared(self) -> dict[str, DeclaredSplit]:
        """Every split that there is, by name."""
        named = {"train": self.train, "search": self.search, "gate": self.gate, "hidden": self.hidden}
        return {name: split for name, split in named.items() if split is not None}


class Benchmark(Strict):
    """A folder under ``benchmarks/``.

    Attributes:
        generator: module beside this file with ``generate(seed, worlds) -> Data``; none where all splits are files.
        fields: which fields of a row in such a file are what.
        scorer: a metric of :data:`STANDARD`, a module beside this file that holds to the scorer protocol, or
            ``self_reported``.
        boards: leaderboard name -> metric.
        secondary: further metrics that the scorer gives; with a direction where the name does not say it.
    """

    name: Slug
    version: StrictStr
    task: StrictStr
    generator: StrictStr | None = None
    scorer: StrictStr | Literal["self_reported"]
    fields: Fields = Fields()
    boards: dict[Name, BoardMetric] = Field(min_length=1)
    secondary: list[Slug | SecondaryMetric] = []
    slices: list[Slug] = []
    splits: Splits

    @property
    def primary(self) -> BoardMetric:
        """The metric that parts of the data are compared by: the first board's."""
        return next(iter(self.boards.values()))

    @property
    def secondary_names(self) -> list[str]:
        """Names of the secondary metrics."""
        return [metric if isinstance(metric, str) else metric.name for metric in self.secondary]

    @property
    def directions(self) -> dict[str, bool]:
        """Metric -> whether higher is better, as far as this file declares it or the metric is a standard one."""
        standard = {name: STANDARD[name].higher_is_better for name in self.standard_metrics if name in STANDARD}
        declared = {m.name: m.higher_is_better for m in self.secondary if isinstance(m, SecondaryMetric)}
        return (
            self.directions_of_slices
            | standard
            | declared
            | {board.metric: board.higher_is_better for board in self.boards.values()}
        )

    @property
    def directions_of_slices(self) -> dict[str, bool]:
        """Of the fairness metrics: the worst slice counts like the primary metric, the gap down."""
        return {WORST_SLICE: self.primary.higher_is_better, SLICE_GAP: False}

    @property
    def standard_metrics(self) -> tuple[str, ...]:
        """What the standard scorer computes: its own metric, the boards' and the secondary ones; nothing without it."""
        if self.scorer == "self_reported" or self.scorer.endswith(".py"):
            return ()
        boards = (board.metric for board in self.boards.values())
        names = dict.fromkeys((self.scorer, *boards, *self.secondary_names))
        return tuple(name for name in names if name not in SLICE_METRICS)

    def problems(self) -> Iterator[tuple[Path, str]]:
        """Splits whose seeds or files would leak, and metrics that nothing computes."""
        yield from self._leaks()
        yield from self._unknown_metrics()

    def _leaks(self) -> Iterator[tuple[Path, str]]:
        splits = self.splits.declared
        if self.splits.hidden is not None and self.splits.hidden.seed is not None:
            yield ("splits", "hidden", "seed"), "the hidden seed is drawn by the arena and never written down"
        origins = dict[int | str, str]()
        for name, split in splits.items():
            if split.items is None and self.generator is None:
                yield ("splits", name, "items"), "is required where there is no generator"
            elif split.items is None and split.seed is None and name == "train":
                yield ("splits", name, "seed"), "is required"
            origin = split.seed if split.items is None else PurePosixPath(split.items).as_posix()
            if origin in origins and split.items is None:
                yield ("splits", name, "seed"), "two splits with one seed hold the same items"
            elif origin in origins:
                text = f"is the file of {origins[origin]} too; a split of its own needs a file of its own"
                yield ("splits", name, "items"), text
            if origin is not None:
                origins.setdefault(origin, name)

    def _unknown_metrics(self) -> Iterator[tuple[Path, str]]:
        if self.scorer == "self_reported" or self.scorer.endswith(".py"):
            return
        if self.scorer not in STANDARD:
            text = f"{unknown(self.scorer)}; a scorer of your own is a .py file beside benchmark.yaml"
            yield ("scorer",), text
            return
        own = STANDARD[self.scorer]
        for path, name, higher in self._asked():
            if path[0] == "secondary" and name in SLICE_METRICS:
                if higher not in {None, self.directions_of_slices[name]}:
                    way = "up" if self.directions_of_slices[name] else "down"
                    yield (*path[:-1], "higher_is_better"), f"{name} counts {way}"
            elif name not in STANDARD:
                yield path, unknown(name)
            elif STANDARD[name].answers is not own.answers:
                text = f"{name} needs {STANDARD[name].answers}s as answers, {self.scorer} needs {own.answers}s"
                yield path, text
            elif higher is not None and higher is not STANDARD[name].higher_is_better:
                way = "up" if STANDARD[name].higher_is_better else "down"
                yield (*path[:-1], "higher_is_better"), f"{name} counts {way}"

    def _asked(self) -> Iterator[tuple[Path, str, bool | None]]:
        for board, declared in self.boards.items():
            yield ("boards", board, "metric"), declared.metric, declared.higher_is_better
        for i, metric in enumerate(self.secondary):
            if isinstance(metric, str):
                yield ("secondary", i), metric, None
            else:
                yield ("secondary", i, "name"), metric.name, metric.higher_is_better
