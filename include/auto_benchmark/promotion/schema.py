"""Input and output of the promotion gate; the shapes of ``stats decide``."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from auto_benchmark.contract.measured import MetricSource
from auto_benchmark.documents import Path, Strict
from auto_benchmark.registry.names import Number
from auto_benchmark.stats.applicability import LARGEST
from auto_benchmark.stats.looks import next_look


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


class Failures(Strict):
    """How many of a side's seeds failed, in the end or before a further attempt, by what the trial did.

    What fails when it is unlucky shows its lucky seeds alone, so that seeds without a score count too.
    """

    seeds: int = Field(ge=0)
    failed: int = Field(ge=0)

    @property
    def rate(self) -> float:
        """Share of the seeds."""
        return self.failed / self.seeds if self.seeds else 0.0


class Noise(Strict):
    """Pooled standard deviation between seeds and its degrees of freedom."""

    sd: float = Field(ge=0, le=LARGEST)
    df: int = Field(ge=0)


class Evidence(Strict):
    """Everything a decision rests on; stored with it, so that it can be replayed.

    Attributes:
        promotion_threshold: smallest improvement worth a promotion, absolute, in the metric's unit.
        leader_score: best score on the board that is not ours.
        noise: pooled over past trials; without it the trials given here must do.
        policy: name of a policy, or ``{"name", "alpha"}``; ``sequential`` when absent.
        dropped: trials left out because their primary metric was absent or not finite.
        source: who gives the primary metric; None where that was not asked.
        candidate_failures: and ``control_failures``: seeds that failed; None where that was not asked.
    """

    metric: str
    higher_is_better: bool
    promotion_threshold: float = Field(gt=0, le=LARGEST)
    leader_score: Number | None = None
    noise: Noise | None = None
    policy: str | dict[str, Any] | None = None
    candidate: list[Observation]
    control: list[Observation]
    dropped: int = Field(default=0, ge=0)
    source: MetricSource | None = None
    candidate_failures: Failures | None = None
    control_failures: Failures | None = None

    def problems(self) -> Iterator[tuple[Path, str]]:
        """Trials without the primary metric and seeds that are given twice."""
        for side in ("candidate", "control"):
            seen: set[int] = set()
            for i, trial in enumerate(getattr(self, side)):
                if self.metric not in trial.metrics:
                    yield (side, i, "metrics", self.metric), "is required: it is the primary metric"
                elif abs(trial.metrics[self.metric]) > LARGEST:
                    yield (side, i, "metrics", self.metric), f"is beyond {LARGEST:g}, too large to compute with"
                if trial.seed in seen:
                    yield (side, i, "seed"), f"seed {trial.seed} is given twice"
                seen.add(trial.seed)


CriterionName = Literal["improvement", "significance", "no_regression", "reproducibility", "projection"]


class Criterion(Strict):
    """One row of the mission's table."""

    name: CriterionName
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

    @property
    def is_for_a_person(self) -> bool:
        """Whether all but the cost is shown at the cap of seeds: the machine was too busy to measure it."""
        failed = [row.name for row in self.criteria if not row.passed]
        return self.verdict is Verdict.INCONCLUSIVE and failed == ["no_regression"] and next_look(self.n) is None
