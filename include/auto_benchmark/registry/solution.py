"""``solution.yaml``: what the loop improves. How to start it, its knobs, and what techniques mean for them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal, cast

from pydantic import Field, StrictBool, StrictStr, model_validator

from auto_benchmark.documents import Path, Strict
from auto_benchmark.registry.guard import SolutionMetrics
from auto_benchmark.registry.names import Count, KnobName, Number, Positive, Slug

Scalar = bool | int | float | str
Params = dict[str, Scalar]
NEVER_EDITED = ("solution.yaml", "requirements.lock", "Dockerfile")
"""Files of a solution that no hypothesis changes: its declaration, and what its environment is built from."""


class Knob(Strict):
    """One value of the configuration that may be changed.

    Attributes:
        range: lowest and highest value, for float and int.
        choices: the values of a choice.
        log: search on a logarithmic scale.
        memory_down: the value that needs less memory, used once after an out-of-memory failure.
        when: other knobs' values (one, or a list of them) without which this knob does nothing. Where they differ, the
            knob is no part of the configuration: it is neither searched nor does it tell two configurations apart.
    """

    type: Literal["float", "int", "bool", "choice"]
    range: tuple[Number, Number] | None = None
    choices: list[Scalar] | None = Field(default=None, min_length=1)
    log: StrictBool = False
    default: Scalar
    memory_down: Scalar | None = None
    when: dict[KnobName, Scalar | list[Scalar]] = {}

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
            raise ValueError("only a knob of type choice has choices, and it needs them")
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

    def nearest(self, value: object) -> Scalar:
        """``value`` where the knob takes it; else the nearest end of the range, or the default."""
        if self.refuses(value) is None:
            return cast("Scalar", value)
        if isinstance(value, bool) or not isinstance(value, int | float) or self.range is None or math.isnan(value):
            return self.default
        low, high = self.range
        if self.type == "int":
            return int(min(math.floor(high), max(math.ceil(low), round(min(high, max(low, value))))))
        return min(high, max(low, value))


def is_active(knobs: Mapping[str, Knob], params: Mapping[str, Scalar], name: str) -> bool:
    """Whether a knob does anything in a configuration: all that its ``when`` asks for is so, and is active itself."""
    return all(
        other in knobs
        and is_active(knobs, params, other)
        and _is_one_of(params.get(other, knobs[other].default), wanted)
        for other, wanted in knobs[name].when.items()
    )


def configured(knobs: Mapping[str, Knob], params: Mapping[str, Scalar]) -> Params:
    """The configuration that ``params`` mean: what is missing has its default, what is inactive is left out."""
    complete = {name: knob.default for name, knob in knobs.items()} | dict(params)
    inactive = {name for name in knobs if not is_active(knobs, complete, name)}
    found = {name: value for name, value in complete.items() if name not in inactive}
    return dict(params) if found == params else found


def _is_one_of(value: Scalar, wanted: Scalar | list[Scalar]) -> bool:
    choices = wanted if isinstance(wanted, list) else [wanted]
    return any(value == choice and isinstance(value, bool) == isinstance(choice, bool) for choice in choices)


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
    """A folder under ``solutions/``: training code that obeys the trial contract.

    Attributes:
        editable: files that a hypothesis may change, add or delete: names, ``folder/``, or patterns as of a shell.
            Every file but :data:`NEVER_EDITED` where it is left out.
    """

    name: Slug
    command: list[StrictStr] = Field(min_length=1)
    image: StrictStr
    benchmark: Slug
    knobs: dict[KnobName, Knob]
    metrics: SolutionMetrics = SolutionMetrics()
    techniques: dict[Slug, Params] = {}
    seeds_per_process: Count = 1
    pruning: Pruning | None = None
    resources: Resources = Resources()
    architecture: dict[str, Any] = {}
    editable: list[StrictStr] | None = None

    def problems(self) -> Iterator[tuple[Path, str]]:
        """Technique patches that name no knob or a value that the knob refuses; conditions that can never hold."""
        yield from self._impossible_conditions()
        for i, pattern in enumerate(self.editable or ()):
            if pattern in NEVER_EDITED:
                yield ("editable", i), f"no hypothesis may change {pattern}; it is the operator's"
            elif not pattern or pattern.startswith("/") or ".." in pattern.split("/"):
                yield ("editable", i), "should name files below the solution's folder"
        for technique, patch in self.techniques.items():
            for knob, reason in self.refusals(patch).items():
                yield ("techniques", technique, knob), reason

    def _impossible_conditions(self) -> Iterator[tuple[Path, str]]:
        for name, knob in self.knobs.items():
            for other, wanted in knob.when.items():
                for value in wanted if isinstance(wanted, list) else [wanted]:
                    if reason := self.refusals({other: value}).get(other):
                        yield ("knobs", name, "when", other), reason
            if name in self._conditions_of(name):
                yield ("knobs", name, "when"), "the knob depends on itself"

    def _conditions_of(self, name: str) -> set[str]:
        """Every knob that ``name`` depends on, directly or through others."""
        found: set[str] = set()
        ahead = [name]
        while ahead:
            knob = self.knobs.get(ahead.pop())
            fresh = {*knob.when} - found if knob else set()
            found |= fresh
            ahead += fresh
        return found

    @property
    def defaults(self) -> Params:
        """The configuration that a new project starts from."""
        return configured(self.knobs, {})

    def configured(self, patch: Mapping[str, Scalar]) -> Params:
        """The defaults with ``patch``, without the knobs that are inactive then."""
        return configured(self.knobs, patch)

    def complete(self, params: Mapping[str, Scalar]) -> Params:
        """``params`` as a trial is handed them: the code may read every knob, so inactive ones have their defaults."""
        return {**params, **{name: k.default for name, k in self.knobs.items() if name not in params}}

    def is_editable(self, file: str) -> bool:
        """Whether a hypothesis may change, add or delete this file of the folder."""
        if file in NEVER_EDITED:
            return False
        if self.editable is None:
            return True
        return any(
            file.startswith(pattern) if pattern.endswith("/") else fnmatchcase(file, pattern)
            for pattern in self.editable
        )

    def refusals(self, params: Mapping[str, object]) -> dict[str, str]:
        """Knob name -> why its value is refused; empty when ``params`` is valid."""
        found = {}
        for name, value in params.items():
            if name not in self.knobs:
                found[name] = f"no knob is called {name!r}; there are {', '.join(sorted(self.knobs)) or 'none'}"
            elif reason := self.knobs[name].refuses(value):
                found[name] = reason
        return found
