"""A hypothesis: one change that is claimed to improve our score, and why it is worth trying."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from auto_benchmark.documents import Strict
from auto_benchmark.registry.names import NotNegative, Number
from auto_benchmark.registry.solution import Params
from auto_benchmark.registry.technique_catalog import Effort


class HypothesisStatus(StrEnum):
    """Life of a hypothesis."""

    QUEUED = "queued"
    ACTIVE = "active"
    PAUSED = "paused"
    PROMOTED = "promoted"
    CHALLENGER = "challenger"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"
    ESCALATED = "escalated"

    @property
    def is_open(self) -> bool:
        """Whether it counts against the queue's limit."""
        return self in {HypothesisStatus.QUEUED, HypothesisStatus.ACTIVE}


class Urgency(StrEnum):
    """When a hypothesis runs."""

    URGENT = "urgent"
    NORMAL = "normal"
    LOW = "low"

    @property
    def multiplier(self) -> float:
        """Factor on the priority score."""
        return {"urgent": 3.0, "normal": 1.0, "low": 0.3}[self.value]


class Implementation(Strict):
    """What is changed, in words and as a patch of the configuration.

    Attributes:
        base: the configuration that the patch applies to (production or challenger at the time).
        estimated_gain: expected improvement of the primary metric, in its unit, positive is better.
    """

    change: str
    effort: Effort
    estimated_gain: Number
    base: Params = {}
    patch: Params = {}

    @property
    def params(self) -> Params:
        """The complete configuration to try."""
        return {**self.base, **self.patch}


class Hypothesis(Strict):
    """One row of the experiment queue."""

    id: str = Field(pattern=r"^H-\d{3,}$")
    title: str
    claim: str
    source: str
    target_leaderboards: list[str] = Field(min_length=1)
    implementation: Implementation
    priority_score: NotNegative
    urgency: Urgency = Urgency.NORMAL
    status: HypothesisStatus = HypothesisStatus.QUEUED
    config_hash: str
    reason: str = ""
