"""The trial contract, version 1: what goes into a trial, and every way in which it can end.

A trial is one configuration with one seed at one stage. The stage fixes the split whose inputs the trial sees:
``fast`` the search split, ``full`` the gate split, ``submit`` the hidden inputs that an arena hands out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from auto_benchmark.documents import Strict
from auto_benchmark.registry.names import Positive, Slug
from auto_benchmark.registry.solution import Params


class Split(StrEnum):
    """Parts of a benchmark's evaluation data."""

    SEARCH = "search"
    GATE = "gate"
    HIDDEN = "hidden"


class Stage(StrEnum):
    """How much of a trial is run, and on which split."""

    FAST = "fast"
    FULL = "full"
    SUBMIT = "submit"

    @property
    def evaluates(self) -> Split:
        """The only split whose inputs a trial of this stage sees."""
        return {"fast": Split.SEARCH, "full": Split.GATE, "submit": Split.HIDDEN}[self.value]


class TrialState(StrEnum):
    """Life of a trial. A failed trial has a :class:`FailureClass` and no score."""

    PLANNED = "planned"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_finished(self) -> bool:
        """Whether nothing will happen to it any more."""
        return self in {TrialState.DONE, TrialState.FAILED, TrialState.CANCELLED}


class BenchmarkRef(Strict):
    """A benchmark and the version of its data."""

    name: Slug
    version: str


class TrialConfig(Strict):
    """The content of ``AB_CONFIG_JSON``."""

    params: Params
    seed: int | None = Field(default=None, ge=0, strict=True)
    seeds: list[int] | None = Field(default=None, min_length=1)
    stage: Stage = Stage.FULL
    subset: Annotated[float, Field(gt=0, le=1)] = 1.0
    budget_s: Positive = 600.0
    benchmark: BenchmarkRef

    @model_validator(mode="after")
    def _one_kind_of_seed(self) -> TrialConfig:
        if (self.seed is None) == (self.seeds is None):
            raise ValueError("give seed, or seeds for a solution that batches them")
        return self

    def to_json(self) -> str:
        """The exact text handed to the trial; ``seeds`` appears only where it is used."""
        return self.model_dump_json(exclude_none=True)


def config_hash(solution: str, params: Mapping[str, object], benchmark: BenchmarkRef) -> str:
    """Identity of a question: the same solution, configuration and benchmark version give the same 16 hex digits."""
    question = {"solution": solution, "params": dict(params), "benchmark": benchmark.model_dump()}
    text = json.dumps(question, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
