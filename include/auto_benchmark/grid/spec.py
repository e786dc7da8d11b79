"""The file that ``sweep run`` reads: which configurations are compared, on what, with which seeds."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field, StrictBool, StrictStr

from auto_benchmark.contract.trial import Split, Stage
from auto_benchmark.documents import Path, Strict
from auto_benchmark.registry.names import Count, Name, Number, Positive, Slug
from auto_benchmark.registry.solution import Params

Seed = Annotated[int, Field(strict=True, ge=0, lt=2**32)]


class Aggregation(StrEnum):
    """How scores of several tasks become one: unweighted, weighted by items, or not at all."""

    MACRO = "macro"
    MICRO = "micro"
    PER_TASK = "per_task"


def _text(value: object) -> object:
    """An unquoted version such as 1 or 2.0 means its digits."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


class Dataset(Strict):
    """One split of one benchmark.

    Attributes:
        split: ``search`` or ``gate``; training data and hidden answers are not a test set for a sweep.
        sha256: of the split's canonical bytes, checked where given.
    """

    name: Slug
    version: Annotated[StrictStr, BeforeValidator(_text)]
    split: Literal["search", "gate"] = "gate"
    sha256: StrictStr | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")

    @property
    def stage(self) -> Stage:
        """The stage of the trial contract that evaluates this split."""
        return Stage.FAST if self.split == Split.SEARCH.value else Stage.FULL

    @property
    def task(self) -> str:
        """Short name, unique within a sweep."""
        return f"{self.name}/{self.split}"


class Metrics(Strict):
    """Metrics of the comparison.

    Attributes:
        primary: ranks the configurations.
        secondary: reported beside it.
        meaningful_difference: smallest difference of the primary metric that matters in practice, in its unit;
            1 % of the baseline's mean where it is not given.
    """

    primary: StrictStr
    secondary: list[StrictStr] = []
    higher_is_better: StrictBool = True
    meaningful_difference: Positive | None = None

    def problems(self) -> Iterator[tuple[Path, str]]:
        """A metric that stands twice."""
        for i, name in enumerate(self.secondary):
            if name in {self.primary, *self.secondary[:i]}:
                yield ("secondary", i), f"{name!r} stands here twice"


class Configuration(Strict):
    """One row of the comparison; knobs that ``params`` leaves out have the solution's defaults."""

    name: Name
    params: Params = {}


class SweepBudget(Strict):
    """What the whole sweep may spend, earlier runs of it in the same directory included.

    Attributes:
        trials: attempts, re-runs included.
        hours: of trials, summed over those that run side by side.
        money: by the rate card of ``schedule.yaml``.
        trial_s: wall clock of one trial; the solution's own limit where it is not given.
    """

    trials: Count | None = None
    hours: Positive | None = Field(default=None, validation_alias=AliasChoices("hours", "wall_clock_hours"))
    money: Number | None = Field(default=None, ge=0)
    trial_s: Positive | None = Field(default=None, validation_alias=AliasChoices("trial_s", "budget_s"))


def _in_hours(value: object) -> object:
    """A bare number means hours; ``minutes`` and ``seconds`` are understood too."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return {"hours": value}
    if isinstance(value, dict):
        for unit, per_hour in (("minutes", 60), ("seconds", 3600)):
            amount = value.get(unit)
            if isinstance(amount, int | float) and "hours" not in value:
                return {**{k: v for k, v in value.items() if k != unit}, "hours": amount / per_hour}
    return value


class SweepSpec(Strict):
    """A whole sweep.

    Attributes:
        solution: name, or path relative to this file.
        baseline: configuration that the others are compared with; ``baseline`` or else the first one by default.
        hardware: what it runs on, in words or as a mapping; goes into the report beside what is found.
        max_reruns: how often a failed trial is run again before it counts as failed.
        runner: where trials run; the process setting where it is not given.
    """

    name: Name
    description: StrictStr = ""
    solution: StrictStr
    datasets: list[Dataset] = Field(min_length=1)
    metrics: Metrics
    aggregation: Aggregation = Aggregation.MACRO
    configurations: list[Configuration] = Field(min_length=1)
    baseline: StrictStr | None = None
    seeds: list[Seed] = Field(min_length=1)
    budget: Annotated[SweepBudget, BeforeValidator(_in_hours)] = SweepBudget()
    hardware: StrictStr | dict[str, Any] = ""
    max_reruns: int = Field(default=2, strict=True, ge=0, le=10)
    runner: StrictStr | None = None

    @property
    def baseline_name(self) -> str:
        """Name of the configuration that the others are compared with."""
        names = [c.name for c in self.configurations]
        return self.baseline or ("baseline" if "baseline" in names else names[0])

    def problems(self) -> Iterator[tuple[Path, str]]:
        """Names, seeds or tasks that stand twice, and a baseline that is none."""
        names = [c.name for c in self.configurations]
        for field, values in (
            ("configurations", names),
            ("seeds", self.seeds),
            ("datasets", [d.task for d in self.datasets]),
        ):
            for i, value in enumerate(values):
                if value in values[:i]:
                    yield (field, i), f"{value!r} stands here twice"
        if self.baseline is not None and self.baseline not in names:
            yield ("baseline",), f"no configuration is called {self.baseline!r}; there are {', '.join(names)}"
        for path, message in self.metrics.problems():
            yield ("metrics", *path), message
