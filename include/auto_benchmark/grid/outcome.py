"""How one run of a sweep ended, and how far a sweep has come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from auto_benchmark.grid.plan import GridRun


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """One attempt that gave no score."""

    failure: str
    message: str
    wall_s: float
    log: str


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """A finished run.

    Attributes:
        metrics: empty when every attempt failed.
        items: metric -> item id -> value.
        slices: slice -> metric -> value.
        failed_attempts: also those before a success.
        wall_s: of all attempts.
        scored_by: ``scorer``, or ``self_reported`` for a benchmark without items.
        scored: metrics that the scorer gave; None where that is not known.
    """

    run: GridRun
    finished_at: datetime
    wall_s: float
    failed_attempts: tuple[FailedAttempt, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    items: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    slices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    fingerprint: Mapping[str, str] = field(default_factory=dict)
    scored_by: str = "scorer"
    scored: frozenset[str] | None = None

    @property
    def is_done(self) -> bool:
        """Whether it has a score."""
        return bool(self.metrics)

    @property
    def attempts(self) -> int:
        """Attempts so far."""
        return len(self.failed_attempts) + self.is_done


def split_uses(outcomes: Sequence[RunOutcome]) -> list[dict[str, Any]]:
    """How often each split's answers were asked, once for every run with a score.

    Returns:
        One ``{"benchmark", "version", "split", "queries"}`` per split.
    """
    uses = Counter((o.run.dataset.name, o.run.dataset.version, o.run.dataset.split) for o in outcomes if o.is_done)
    return [
        {"benchmark": name, "version": version, "split": split, "queries": count}
        for (name, version, split), count in uses.items()
    ]


def progress_line(outcome: RunOutcome, *, primary: str, done: int, total: int, left_s: float, several: bool) -> str:
    """``[3/12] variant_b seed=42 — primary_metric=0.847, about 40 s left``."""
    run = outcome.run
    task = f" task={run.dataset.task}" if several else ""
    if outcome.is_done:
        result = f"primary_metric={outcome.metrics[primary]:.4g}"
        if outcome.failed_attempts:
            result += f" (attempt {outcome.attempts})"
    else:
        last = outcome.failed_attempts[-1]
        result = f"failed after {outcome.attempts} attempts: {last.failure}: {last.message}"
    left = f", about {duration(left_s)} left" if done < total else ""
    return f"[{done}/{total}] {run.configuration.name} seed={run.seed}{task} — {result}{left}"


def duration(seconds: float) -> str:
    """``40 s``, ``12 min`` or ``3.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
