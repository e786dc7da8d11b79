"""Input and output of the promotion gate; the shapes of ``stats decide``."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from auto_benchmark.documents import Strict
from auto_benchmark.registry.names import Number


class Verdict(StrEnum):
    """What the gate says about a candidate."""

    PROMOTE = "promote"
    CHALLENGER = "challenger"
    REJECT = "reject"
    FUTILE = "futile"
    INCONCLUSIVE = "inconclusive"
    INSUFFICIENT_DATA = "insufficient_data"
    NO_VARIANCE = "no_variance"

    @property
    def is_final(self) -> bool:
        """Whether further seeds cannot change it."""
        return self in {Verdict.PROMOTE, Verdict.CHALLENGER, Verdict.REJECT, Verdict.FUTILE}


class Observation(Strict):
    """One finished trial as the gate sees it. ``items``: item id -> score of the primary metric."""

    seed: int
    metrics: dict[str, Number]
    items: dict[str, Number] | None = None


class Noise(Strict):
    """Pooled standard deviation between seeds and its degrees of freedom."""

    sd: float = Field(ge=0)
    df: int = Field(ge=0)


class Evidence(Strict):
    """Everything a decision rests on; stored with it, so that it can be replayed."""

    metric: str
    higher_is_better: bool
    promotion_threshold: float = Field(gt=0)
    leader_score: Number | None = None
    noise: Noise | None = None
    policy: str | dict[str, Any] | None = None
    candidate: list[Observation]
    control: list[Observation]


class Criterion(Strict):
    """One row of the mission's table."""

    name: Literal["improvement", "significance", "no_regression", "reproducibility", "projection"]
    value: Number | None
    threshold: Number | None
    passed: bool
    reason: str


class Decision(Strict):
    """Output of ``stats decide``. ``estimate`` and ``interval`` are of the improvement, positive is better."""

    verdict: Verdict
    reason: str
    n: int
    estimate: Number | None
    interval: tuple[Number, Number] | None
    criteria: list[Criterion]
