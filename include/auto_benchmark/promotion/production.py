"""The configuration in production, the challenger, and the record of how each was decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from auto_benchmark.contract.trial import BenchmarkRef, config_hash
from auto_benchmark.promotion.schema import Verdict
from auto_benchmark.registry.solution import Params


class Role(StrEnum):
    """``production`` is what we submit; ``challenger`` is better, not yet enough for #1, the base of experiments."""

    PRODUCTION = "production"
    CHALLENGER = "challenger"


@dataclass(frozen=True, slots=True)
class ProductionCandidate:
    """A configuration that is to take a role.

    Attributes:
        scores: leaderboard -> expected score, from fresh seeds.
        tree: its code, by the name under which it is stored; '' is the solution's folder as it is.
    """

    solution: str
    benchmark: BenchmarkRef
    params: Params
    scores: Mapping[str, float]
    reason: str
    hypothesis_id: str | None = None
    decision_id: int | None = None
    tree: str = ""

    @property
    def config_hash(self) -> str:
        """Identity of the configuration."""
        return config_hash(self.solution, self.params, self.benchmark)


@dataclass(frozen=True, slots=True)
class ProductionConfig:
    """A configuration while it holds, or held, a role; open while ``closed_at`` is None."""

    id: int
    role: Role
    candidate: ProductionCandidate
    opened_at: datetime
    closed_at: datetime | None
    closed_reason: str | None
    restores: int | None

    @property
    def config_hash(self) -> str:
        """Identity of the configuration."""
        return self.candidate.config_hash


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """One decision of the gate with the exact texts of what went in (a ``Case``) and what came out."""

    id: int
    experiment_id: int
    look: int
    verdict: Verdict
    reason: str
    evidence_json: str
    decision_json: str
    sha256: str
    trial_ids: tuple[int, ...]
    decided_at: datetime
