"""The technical log: what the system did and why, from the same rows as everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from auto_benchmark.hypotheses.hypothesis import Hypothesis
from auto_benchmark.promotion.decision import Decision
from auto_benchmark.reporting.digest import Position
from auto_benchmark.reporting.render import render


@dataclass(frozen=True, slots=True)
class ExperimentEntry:
    """One experiment: its hypothesis, outcome and last decision."""

    hypothesis: Hypothesis
    outcome: str
    reason: str
    decision: Decision | None
    trials: Sequence[str]


@dataclass(frozen=True, slots=True)
class LogLine:
    """One automatic decision."""

    at: datetime
    kind: str
    subject: str
    reason: str


@dataclass(frozen=True, slots=True)
class TechnicalLog:
    """Everything that the log says."""

    written_at: datetime
    positions: Sequence[Position]
    experiments: Sequence[ExperimentEntry]
    queue: Sequence[Hypothesis]
    lines: Sequence[LogLine]
    split_queries: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Promotion:
    """One line of the changelog."""

    at: datetime
    role: str
    hypothesis_id: str | None
    scores: Mapping[str, float]
    reason: str


def render_technical_log(log: TechnicalLog) -> str:
    """``TECHNICAL_LOG.md``."""
    return render("technical_log.md.j2", log=log)


def render_changelog(promotions: Sequence[Promotion]) -> str:
    """``CHANGELOG.md``: every configuration that took a role, newest first."""
    return render("changelog.md.j2", promotions=promotions)
