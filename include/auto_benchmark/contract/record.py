"""Experiments and trials as they are planned, held and finished."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.scoring import Scores
from auto_benchmark.contract.trial import BenchmarkRef, Stage, TrialConfig, TrialState, config_hash
from auto_benchmark.kinds import ExperimentKind, Lane, Outcome
from auto_benchmark.registry.solution import Params


def identity(config_hash: str, tree: str) -> str:
    """A configuration's hash and, where it names stored code, that code."""
    return f"{config_hash}-{tree}" if tree else config_hash


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """A candidate against a control.

    Attributes:
        kind: why it was opened.
        key: names the experiment among those of its kind; the hypothesis id for a hypothesis.
        tree: the candidate's code, by the name under which it is stored; '' is the solution's folder as it is.
        control_tree: the control's.
    """

    kind: ExperimentKind
    key: str
    solution: str
    benchmark: BenchmarkRef
    params: Params
    control_params: Params | None = None
    hypothesis_id: str | None = None
    tree: str = ""
    control_tree: str = ""

    @property
    def config_hash(self) -> str:
        """Identity of the candidate configuration."""
        return config_hash(self.solution, self.params, self.benchmark)

    @property
    def control_config_hash(self) -> str | None:
        """Identity of the control configuration."""
        return (
            None if self.control_params is None else config_hash(self.solution, self.control_params, self.benchmark)
        )

    def is_against(self, params: Params, tree: str) -> bool:
        """Whether this configuration is the control."""
        return self.control_params == params and self.control_tree == tree


@dataclass(frozen=True, slots=True)
class Experiment:
    """A recorded experiment."""

    id: int
    plan: ExperimentPlan
    outcome: Outcome | None
    reason: str


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """One trial to be run.

    Attributes:
        purpose: what its result is for: a :class:`Purpose`, for a submission followed by the digest of its inputs.
        queue: the lane of the sweep that wants it.
        tree: the code that is run, by the name under which it is stored; '' is the solution's folder as it is.
    """

    solution: str
    params: Params
    benchmark: BenchmarkRef
    stage: Stage
    seed: int
    purpose: str
    subset: float = 1.0
    budget_s: float = 600.0
    experiment_id: int | None = None
    queue: Lane = Lane.NORMAL
    priority: float = 0.0
    tree: str = ""

    @property
    def identity(self) -> str:
        """Identity of the configuration together with its code, for the names of files and runs."""
        return identity(self.config_hash, self.tree)

    @property
    def config_hash(self) -> str:
        """Identity of the configuration."""
        return config_hash(self.solution, self.params, self.benchmark)


@dataclass(frozen=True, slots=True)
class Trial:
    """A recorded trial. ``failures`` are the classes of its failed attempts so far."""

    id: int
    plan: TrialPlan
    state: TrialState
    attempts: int
    failures: tuple[FailureClass, ...] = ()
    failure_class: FailureClass | None = None
    message: str | None = None
    artifact_uri: str | None = None

    @property
    def config(self) -> TrialConfig:
        """What the trial is handed as ``AB_CONFIG_JSON``."""
        plan = self.plan
        return TrialConfig(
            params=plan.params, seed=plan.seed, stage=plan.stage, subset=plan.subset, budget_s=plan.budget_s,
            benchmark=plan.benchmark,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What a finished trial has shown.

    Attributes:
        scores: by the scorer; metrics that the trial measured itself (latency, memory) are merged into ``metrics``.
        fingerprint: what it ran on; trials with different fingerprints are not pooled.
        cost: money, in the unit of the rate card.
        failures: classes of attempts that failed before this one.
    """

    scores: Scores
    artifact_uri: str | None = None
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    wall_s: float | None = None
    gpu_seconds: float | None = None
    cost: float | None = None
    failures: tuple[FailureClass, ...] = ()
