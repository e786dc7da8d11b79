"""Trials as pages show them: with their scores, and how far the running ones are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from auto_benchmark.contract.trial import TrialState
from auto_benchmark.db.models import Experiment, MetricValue, Trial

TYPICAL_OF = 50
"""Newest finished trials of a solution and stage whose median duration is the expectation for the next."""


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One trial with its metrics over the whole split."""

    id: int
    purpose: str
    stage: str
    seed: int
    state: str
    failure_class: str | None
    message: str | None
    wall_s: float | None
    cost: float | None
    metrics: dict[str, float]


@dataclass(frozen=True, slots=True)
class RunningRow:
    """A trial at work; ``expected_s`` is the median of its kind, None before the first of them has finished."""

    id: int
    hypothesis_id: str | None
    solution: str
    purpose: str
    stage: str
    seed: int
    queue: str
    attempts: int
    started_at: datetime | None
    budget_s: float
    expected_s: float | None


@dataclass(frozen=True, slots=True)
class FailedRow:
    """A trial that failed for good; ``about`` is its experiment's key (a hypothesis id, mostly)."""

    id: int
    about: str | None
    purpose: str
    stage: str
    seed: int
    failure_class: str | None
    message: str | None
    attempts: int
    finished_at: datetime | None


def of_experiment(
    *, session: Session, project: str, experiment_id: int, config_hash: str, tree: str
) -> list[TrialRow]:
    """The project's trials planned for an experiment or run with its configuration and code, in order of planning."""
    t = Trial
    own = (t.experiment_id == experiment_id) | ((t.config_hash == config_hash) & (t.tree == tree))
    rows = session.scalars(select(t).where(t.project == project, own).order_by(t.id).limit(500)).all()
    return _with_metrics(session, rows)


def _with_metrics(session: Session, rows: Sequence[Trial]) -> list[TrialRow]:
    m = MetricValue
    metrics: dict[int, dict[str, float]] = {}
    of_trials = select(m.trial_id, m.name, m.value).where(m.trial_id.in_([r.id for r in rows]), m.slice == "")
    for trial_id, name, value in session.execute(of_trials).tuples():
        metrics.setdefault(trial_id, {})[name] = value
    return [
        TrialRow(
            r.id, r.purpose, r.stage, r.seed, r.state, r.failure_class, r.message, r.wall_s, r.cost,
            metrics.get(r.id, {}),
        )
        for r in rows
    ]  # fmt: skip


def finished(
    *, session: Session, project: str, since: datetime, without: Collection[int], limit: int
) -> list[tuple[TrialRow, dict[str, Any]]]:
    """Trials that ended since a moment, with their parameters, newest first; ``without`` are ids that are known."""
    t = Trial
    ended = (t.project == project, t.finished_at >= since, t.id.not_in(list(without)))
    rows = session.scalars(select(t).where(*ended).order_by(t.finished_at.desc(), t.id.desc()).limit(limit)).all()
    return list(zip(_with_metrics(session, rows), [dict(row.params) for row in rows], strict=True))


def failed(*, session: Session, project: str, since: datetime, limit: int = 50) -> list[FailedRow]:
    """Trials that have failed for good since a moment, newest first."""
    t = Trial
    query = (
        select(
            t.id, Experiment.key, t.purpose, t.stage, t.seed, t.failure_class, t.message, t.attempts, t.finished_at
        )
        .outerjoin(Experiment, Experiment.id == t.experiment_id)
        .where(t.project == project, t.state == TrialState.FAILED.value, t.finished_at >= since)
        .order_by(t.finished_at.desc(), t.id.desc())
        .limit(limit)
    )
    return [FailedRow(*row) for row in session.execute(query)]


def isolations(*, session: Session, project: str, since: datetime) -> list[tuple[str, int]]:
    """How trials that have ended since a moment were isolated, in words, with their number; the most frequent first."""
    t = Trial
    words = t.fingerprint["isolation"].as_string().label("words")
    query = (
        select(words, func.count())
        .where(t.project == project, t.finished_at >= since, t.fingerprint["isolation"].as_string().is_not(None))
        .group_by("words")
        .order_by(func.count().desc(), "words")
    )
    return [(text, n) for text, n in session.execute(query)]


def running(*, session: Session, project: str, limit: int = 100) -> list[RunningRow]:
    """Trials at work, oldest first."""
    t = Trial
    query = (
        select(t, Experiment.hypothesis_id)
        .outerjoin(Experiment, Experiment.id == t.experiment_id)
        .where(t.project == project, t.state == TrialState.RUNNING.value)
        .order_by(t.started_at, t.id)
        .limit(limit)
    )
    typical: dict[tuple[str, str], float | None] = {}
    found = []
    for row, hypothesis_id in session.execute(query).tuples():
        kind = (row.solution, row.stage)
        if kind not in typical:
            typical[kind] = _typical(session, project, *kind)
        found.append(
            RunningRow(
                row.id, hypothesis_id, row.solution, row.purpose, row.stage, row.seed, row.queue, row.attempts,
                row.started_at, row.budget_s, typical[kind],
            )
        )  # fmt: skip
    return found


def _typical(session: Session, project: str, solution: str, stage: str) -> float | None:
    t = Trial
    done = (t.project == project, t.solution == solution, t.stage == stage, t.state == TrialState.DONE.value)
    newest = select(t.wall_s).where(*done, t.wall_s.is_not(None)).order_by(t.id.desc()).limit(TYPICAL_OF).subquery()
    value = session.scalar(select(func.percentile_cont(0.5).within_group(newest.c.wall_s)))
    return None if value is None else float(value)
