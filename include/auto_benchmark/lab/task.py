"""What a task declares: ``task.toml`` in Harbor's task format 1.4, with the anchors in ``[metadata.optimization]``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from auto_benchmark.documents import Path as Place
from auto_benchmark.documents import Strict
from auto_benchmark.registry.names import Number
from auto_benchmark.spelling import did_you_mean

FileName = Annotated[str, Field(pattern=r"^[^\x00-\x1f/\\]+$", max_length=100)]
CheckName = Literal["files", "build", "runs", "format", "correct", "plausible", "count", "score"]
"""Checks that a verifier of ours can fail; a cheat says which one refuses it."""
TOOLS = ("c", "cpp", "go", "rust", "python", "valgrind", "cuda", "gpu", "ncu")
"""That a machine is asked for."""
GIVEN_TO_NONE = "Dockerfile"
"""Of ``environment/``: it makes the place where the files are, and is none of them."""


class Axis(StrEnum):
    """In which way a program can be better."""

    FASTER = "faster"
    SMARTER = "smarter"
    SMALLER = "smaller"


class BestKnown(Strict):
    """The best value that anybody is known to have reached, and where that is written."""

    value: Number
    source: str = Field(min_length=1)


class Optimization(Strict):
    """``[metadata.optimization]``.

    Attributes:
        axis: in which way a candidate can be better.
        language: of the editable files.
        metric: what is measured, one word.
        unit: of the metric.
        direction: which way is better.
        transform: in which the reward is piecewise linear: the logarithm of a cost or an error, the logit of a share.
        editable: files of ``environment/`` that a candidate may change.
        optional: whether it needs what few machines have, a GPU: it is skipped there, and the laboratory is whole without.
        baseline: score of the files as they are: reward 0.
        reference: score of the files in ``solution/``: reward 0.5. None = no solution of ours is given.
        stretch: reward 1.
        best_known: with its source.
        check_seeds: of the inputs on which ``lab check`` measures the anchors; anchors are means over them.
        spread: largest share by which two counts of one program on one input may differ; 0 = none.
        toolchain: tool -> version under which the anchors were measured; equal there, within 5 % elsewhere.
    """

    axis: Axis
    language: Literal["c", "cpp", "rust", "go", "python", "cuda"]
    metric: str = Field(min_length=1, max_length=60)
    unit: str = Field(min_length=1, max_length=60)
    direction: Literal["minimize", "maximize"]
    transform: Literal["log", "logit", "linear"]
    editable: list[FileName] = Field(min_length=1)
    optional: bool = False
    baseline: Number
    reference: Number | None = None
    stretch: Number
    best_known: BestKnown
    check_seeds: list[int] = Field(default=[1], min_length=1, max_length=5)
    spread: float = Field(default=0.0, ge=0.0, le=0.005)
    toolchain: dict[str, str] = Field(default={})

    def problems(self) -> Iterator[tuple[Place, str]]:
        """Anchors have to lie in their order, where the transform is defined."""
        sign = 1 if self.direction == "maximize" else -1
        anchors = {"baseline": self.baseline, "reference": self.reference, "stretch": self.stretch}
        given = {name: value for name, value in anchors.items() if value is not None}
        for name, value in given.items():
            if (self.transform == "log" and value <= 0) or (self.transform == "logit" and not 0 < value < 1):
                yield (name,), f"the transform {self.transform} is not defined for {value:g}"
        for n, file in enumerate(self.editable):
            if file in self.editable[:n] or file in (GIVEN_TO_NONE, ".", ".."):
                yield ("editable", n), "is named twice" if file in self.editable[:n] else "is no file for a candidate"
        for tool in self.toolchain:
            if tool not in TOOLS:
                yield ("toolchain", tool), f"is none of {', '.join(TOOLS)}{did_you_mean(tool, TOOLS)}"
        names = list(given)
        for worse, better in pairwise(names):
            if sign * given[better] <= sign * given[worse]:
                yield (better,), f"should be better than {worse} ({given[worse]:g}) for direction {self.direction}"


class Metadata(BaseModel):
    """``[metadata]``: Harbor leaves its content to the task; ours holds the anchors."""

    model_config = ConfigDict(extra="allow", frozen=True)
    optimization: Optimization


class TaskFile(Strict):
    """``task.toml``. Tables that other runners read are kept as they are."""

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)
    schema_version: Literal["1.4"]
    metadata: Metadata
    verifier: dict[str, Any] = Field(default={})
    agent: dict[str, Any] = Field(default={})
    environment: dict[str, Any] = Field(default={})

    def problems(self) -> Iterator[tuple[Place, str]]:
        """Those of the anchors."""
        for place, message in self.metadata.optimization.problems():
            yield ("metadata", "optimization", *place), message


class Cheat(Strict):
    """``cheat.toml`` beside the files of a candidate that must be refused.

    Attributes:
        does: what it tries, one sentence.
        refused_by: the check that has to refuse it: a cheat that does not even compile proves nothing.
    """

    does: str = Field(min_length=1)
    refused_by: CheckName


@dataclass(frozen=True, slots=True)
class Task:
    """A task's folder and what it declares."""

    name: str
    folder: Path
    declared: TaskFile

    @property
    def anchors(self) -> Optimization:
        """``[metadata.optimization]``."""
        return self.declared.metadata.optimization

    @property
    def environment(self) -> Path:
        """Folder of the files as they are given."""
        return self.folder / "environment"

    @property
    def solution(self) -> Path:
        """Folder of the reference's files."""
        return self.folder / "solution"

    @property
    def tests(self) -> Path:
        """Folder of the verifier."""
        return self.folder / "tests"

    @property
    def instruction(self) -> str:
        """What a candidate's author is told."""
        return (self.folder / "instruction.md").read_text(encoding="utf-8")
