"""A hypothesis: one change that is claimed to improve our score, and why it is worth trying."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from auto_benchmark.documents import Strict
from auto_benchmark.hypotheses.origin import Origin
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


class CodeChange(Strict):
    """Other code than that of the base.

    Attributes:
        tree: it, by the name under which it is stored.
        base_tree: the code that it was made from.
        files: names of the files in which the two differ.
        earlier: trees that the same change was, before it was brought onto other code.
    """

    tree: str
    base_tree: str
    files: list[str]
    earlier: list[str] = []


class Implementation(Strict):
    """What is changed, in words, as a patch of the configuration and as code.

    Attributes:
        base: the configuration that the patch applies to (production or challenger at the time).
        estimated_gain: expected improvement of the primary metric, in its unit, positive is better.
    """

    change: str
    effort: Effort
    estimated_gain: Number
    base: Params = {}
    patch: Params = {}
    code: CodeChange | None = None

    @property
    def params(self) -> Params:
        """The complete configuration to try."""
        return {**self.base, **self.patch}

    @property
    def kind(self) -> str:
        """``params``, ``code`` or ``both``."""
        if self.code is None:
            return "params"
        return "both" if self.patch else "code"


class Hypothesis(Strict):
    """One row of the experiment queue.

    Attributes:
        source: where it comes from, in words.
        origin: the same as the loop counts it (:mod:`auto_benchmark.hypotheses.origin`).
        worth: share of its claimed gain that what came from there before lets expect.
        tree: the code that is tried, by the name under which it is stored; '' is the solution's folder as it is.
    """

    id: str = Field(pattern=r"^H-\d{3,}$")
    title: str
    claim: str
    source: str
    origin: str = Origin.PERSON
    target_leaderboards: list[str] = Field(min_length=1)
    implementation: Implementation
    priority_score: NotNegative
    worth: NotNegative = 1.0
    urgency: Urgency = Urgency.NORMAL
    status: HypothesisStatus = HypothesisStatus.QUEUED
    config_hash: str
    tree: str = ""
    reason: str = ""

    def starts_from(self, tree: str) -> bool:
        """Whether it was made from this code; one that names no code was made from whatever its base has."""
        code = self.implementation.code
        return tree == code.base_tree if code else self.tree in {"", tree}
