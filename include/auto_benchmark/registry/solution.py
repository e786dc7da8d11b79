"""``solution.yaml``: what the loop improves. How to start it, its knobs, and what techniques mean for them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field, StrictBool, StrictStr, model_validator

from auto_benchmark.documents import Path, Strict
from auto_benchmark.registry.names import Count, NotNegative, Number, Positive, Slug

Scalar = bool | int | float | str
Params = dict[str, Scalar]


class Knob(Strict):
    """One value of the configuration that may be changed.

    Attributes:
        range: lowest and highest value, for float and int.
        choices: the values of a choice.
        log: search on a logarithmic scale.
        memory_down: the value that needs less memory, used once after an out-of-memory failure.
    """

    type: Literal["float", "int", "bool", "choice"]
    range: tuple[Number, Number] | None = None
    choices: list[Scalar] | None = Field(default=None, min_length=1)
    log: StrictBool = False
    default: Scalar
    memory_down: Scalar | None = None

    @model_validator(mode="after")
    def _complete(self) -> Knob:
        if self.type in {"float", "int"}:
            if self.range is None:
                raise ValueError(f"a knob of type {self.type} needs a range")
            if self.range[0] >= self.range[1]:
                raise ValueError("range must be [low, high] with low < high")
            if self.log and self.range[0] <= 0:
                raise ValueError("a log range must start above 0")
        elif self.range is not None:
            raise ValueError(f"a knob of type {self.type} has no range")
        if (self.type == "choice") != (self.choices is not None):
            raise ValueError("choices belong to a knob of type choice, and only there")
        for name in ("default", "memory_down"):
            value = getattr(self, name)
            if value is not None and (reason := self.refuses(value)):
                raise ValueError(f"{name}: {reason}")
        return self

    def refuses(self, value: object) -> str | None:
        """Why ``value`` is not one of this knob's values; None when it is."""
        if self.type == "bool":
            return None if isinstance(value, bool) else f"should be true or false, is {value!r}"
        if self.type == "choice":
            fits = any(value == c and isinstance(value, bool) == isinstance(c, bool) for c in self.choices or ())
            return None if fits else f"should be one of {self.choices}, is {value!r}"
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return f"should be a number, is {value!r}"
        if self.type == "int" and value != int(value):
            return f"should be a whole number, is {value!r}"
        low, high = self.range or (value, value)
        return None if low <= value <= high else f"should lie in [{low:g}, {high:g}], is {value!r}"


ABSOLUTE_MARGINS = {"_ms": 0.05, "_mb": 1.0}
"""Losses too small to matter, by the unit at the end of a metric's name: a tenth of a millisecond wavers by a quarter
when trials share a core."""


class Guard(Strict):
    """A secondary metric that may not get worse by more than a fraction and, at once, by more than an amount.

    Attributes:
        within: tolerated loss as a share of production's value.
        absolute: tolerated loss in the metric's own unit; by the unit in the name where a solution leaves it out.
    """

    name: StrictStr
    within: Positive
    absolute: NotNegative | None = None
    higher_is_better: StrictBool = False

    @classmethod
    def declared(
        cls, name: str, within: float, *, absolute: float | None = None, higher_is_better: bool = False
    ) -> Guard:
        """A guard whose absolute margin is known: the given one, or the usual one of the metric's unit."""
        if absolute is None:
            absolute = next((least for unit, least in ABSOLUTE_MARGINS.items() if name.endswith(unit)), 0.0)
        return cls(name=name, within=within, absolute=absolute, higher_is_better=higher_is_better)

    def tolerated(self, baseline: float) -> float:
        """The loss, in the metric's unit, up to which nothing is wrong: the larger of both margins."""
        return self.share(baseline) * abs(baseline) if baseline else self.absolute or 0.0

    def share(self, baseline: float) -> float:
        """:meth:`tolerated` as a share of a baseline other than 0."""
        return max(self.within, (self.absolute or 0.0) / abs(baseline))


class SolutionMetrics(Strict):
    """Secondary metrics that the promotion gate guards."""

    guards: list[StrictStr | Guard] = []

    def guarded(self) -> list[Guard]:
        """Every guard with its margins: memory within 15 %, anything else within 10 %, unless declared."""
        return [
            Guard.declared(g, 0.15 if "memory" in g else 0.10)
            if isinstance(g, str)
            else Guard.declared(g.name, g.within, absolute=g.absolute, higher_is_better=g.higher_is_better)
            for g in self.guards
        ]


class Pruning(Strict):
    """Which reported progress may end a search trial early.

    Attributes:
        metric: of the ``AB_PROGRESS`` lines; its steps mean the same in every configuration.
        warmup: no trial is ended before this step.
    """

    metric: StrictStr
    higher_is_better: StrictBool
    warmup: int = Field(default=0, ge=0, strict=True)


class Resources(Strict):
    """Limits of one trial.

    Attributes:
        output_mb: the most that a trial may leave in its output directory, MiB.
        readable: paths besides its own folder and data that a local trial may read, e.g. pretrained weights.
        writable: paths besides its output that a local trial may write, e.g. a compiler's cache. Trials that share
            one can influence each other.
    """

    cpus: Positive = 1.0
    memory_mb: Count = 2048
    output_mb: Count = 2048
    gpus: int = Field(default=0, ge=0, strict=True)
    pids: Count = 256
    budget_s: Positive = 600.0
    fast_budget_s: Positive = 120.0
    readable: list[StrictStr] = []
    writable: list[StrictStr] = []


class Solution(Strict):
    """A folder under ``solutions/``: training code that obeys the trial contract."""

    name: Slug
    command: list[StrictStr] = Field(min_length=1)
    image: StrictStr
    benchmark: Slug
    knobs: dict[Slug, Knob]
    metrics: SolutionMetrics = SolutionMetrics()
    techniques: dict[Slug, Params] = {}
    seeds_per_process: Count = 1
    pruning: Pruning | None = None
    resources: Resources = Resources()
    architecture: dict[str, Any] = {}

    def problems(self) -> Iterator[tuple[Path, str]]:
        """Technique patches that name no knob or a value that the knob refuses."""
        for technique, patch in self.techniques.items():
            for knob, reason in self.refusals(patch).items():
                yield ("techniques", technique, knob), reason

    @property
    def defaults(self) -> Params:
        """The configuration that a new project starts from."""
        return {name: knob.default for name, knob in self.knobs.items()}

    def refusals(self, params: Mapping[str, object]) -> dict[str, str]:
        """Knob name -> why its value is refused; empty when ``params`` is valid."""
        found = {}
        for name, value in params.items():
            if name not in self.knobs:
                found[name] = f"no knob is called {name!r}; there are {', '.join(sorted(self.knobs))}"
            elif reason := self.knobs[name].refuses(value):
                found[name] = reason
        return found
