"""Decisions of the gate, kept so that each can be replayed byte by byte."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Subquery, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.db.models import Experiment, Hypothesis
from auto_benchmark.db.models import PromotionDecision as Row
from auto_benchmark.db.repositories.clock import at
from auto_benchmark.hypotheses.origin import origin_in
from auto_benchmark.kinds import ExperimentKind
from auto_benchmark.promotion.gate import ALPHA, Case
from auto_benchmark.promotion.level import EndedHypothesis
from auto_benchmark.promotion.production import RecordedDecision
from auto_benchmark.promotion.schema import Decision, Verdict


def record(
    *, session: Session, project: str, experiment_id: int, look: int, case: Case, decision: Decision,
    trial_ids: Sequence[int] = (), alpha_spent: float | None = None, alpha_wealth: float | None = None,
    now: datetime | None = None,
) -> tuple[RecordedDecision, bool]:  # fmt: skip
    """Record what the gate said at one look; the first record of an (experiment, look) stands.

    - ``look``: 1-based number of the look.
    - ``case``: every argument of the gate, stored as the exact text that a replay decides again.
    - ``alpha_spent``: of the level held over the stream of hypotheses.
    - ``alpha_wealth``: what is left of it after this decision.

    Returns:
        The record that stands, and whether this call made it.
    """
    evidence_json, decision_json = case.model_dump_json(), decision.model_dump_json()
    digest = hashlib.sha256(f"{evidence_json}\n{decision_json}".encode()).hexdigest()
    row = insert(Row).values(
        project=project, experiment_id=experiment_id, look=look, verdict=decision.verdict.value,
        reason=decision.reason, evidence=evidence_json, decision=decision_json, sha256=digest,
        trial_ids=list(trial_ids), alpha_spent=alpha_spent, alpha_wealth=alpha_wealth, decided_at=at(now),
    )  # fmt: skip
    made = session.scalar(row.on_conflict_do_nothing().returning(Row.id))
    query = select(Row).where(Row.experiment_id == experiment_id, Row.look == look)
    return _decision(session.scalars(query).one()), made is not None


def get(*, session: Session, project: str | None, decision_id: int) -> RecordedDecision | None:
    """One decision of the project, or of any where ``project`` is None."""
    row = session.get(Row, decision_id)
    return None if row is None or project not in {None, row.project} else _decision(row)


def of_experiment(*, session: Session, experiment_id: int) -> list[RecordedDecision]:
    """The decisions on an experiment, by look."""
    query = select(Row).where(Row.experiment_id == experiment_id).order_by(Row.look)
    return [_decision(row) for row in session.scalars(query)]


def resting_on(*, session: Session, project: str, trial_ids: Collection[int]) -> list[RecordedDecision]:
    """The last decision of each experiment one of whose decisions used any of these trials."""
    wanted, found = set(trial_ids), dict[int, Row]()
    for row in session.scalars(select(Row).where(Row.project == project).order_by(Row.experiment_id, Row.look)):
        used = row.experiment_id in found or bool(wanted & set(row.trial_ids))
        if used:
            found[row.experiment_id] = row
    return [_decision(row) for row in found.values()]


def last_of(*, session: Session, project: str, hypothesis_ids: Collection[str]) -> dict[str, RecordedDecision]:
    """Hypothesis -> the last decision on it; those never decided are missing."""
    query = (
        select(Experiment.hypothesis_id, Row)
        .join(Experiment, Experiment.id == Row.experiment_id)
        .where(Row.project == project, Experiment.hypothesis_id.in_(list(hypothesis_ids)))
        .order_by(Row.id)
    )
    return {str(key): _decision(row) for key, row in session.execute(query)}


def latest(*, session: Session, project: str, limit: int = 20) -> list[RecordedDecision]:
    """The newest decisions of a project, newest first."""
    query = select(Row).where(Row.project == project).order_by(Row.id.desc()).limit(limit)
    return [_decision(row) for row in session.scalars(query)]


def final_verdicts(
    *, session: Session, project: str, kind: ExperimentKind = ExperimentKind.HYPOTHESIS
) -> list[Verdict]:
    """The verdict that ended each experiment of ``kind``, in the order in which they fell."""
    last = _last_of_each(project, kind)
    query = select(Row.verdict).join(last, last.c.id == Row.id).order_by(Row.id)
    return [Verdict(verdict) for verdict in session.scalars(query)]


def ended(*, session: Session, project: str) -> list[EndedHypothesis]:
    """How each experiment with a hypothesis ended, at which level, in the order in which they did."""
    last = _last_of_each(project, ExperimentKind.HYPOTHESIS)
    query = (
        select(Row.verdict, Row.alpha_spent, Hypothesis.origin, Hypothesis.source)
        .join(last, last.c.id == Row.id)
        .join(Experiment, Experiment.id == Row.experiment_id)
        .join(Hypothesis, (Hypothesis.project == Row.project) & (Hypothesis.id == Experiment.key))
        .order_by(Row.id)
    )
    return [
        EndedHypothesis(origin or origin_in(source), Verdict(verdict), ALPHA if level is None else level)
        for verdict, level, origin, source in session.execute(query)
    ]


def by_hypotheses(*, session: Session, project: str) -> list[tuple[int, int, Verdict, datetime]]:
    """Id, look, verdict and moment of every decision on a hypothesis, oldest first; A/A comparisons are none."""
    query = (
        select(Row.id, Row.look, Row.verdict, Row.decided_at)
        .join(Experiment, Experiment.id == Row.experiment_id)
        .where(Row.project == project, Experiment.kind == ExperimentKind.HYPOTHESIS)
        .order_by(Row.decided_at, Row.id)
    )
    return [(key, look, Verdict(verdict), moment) for key, look, verdict, moment in session.execute(query)]


def alpha_wealth(*, session: Session, project: str) -> float | None:
    """What the newest decision that states it left of the level; None before the first."""
    query = select(Row.alpha_wealth).where(Row.project == project, Row.alpha_wealth.is_not(None))
    return session.scalar(query.order_by(Row.id.desc()).limit(1))


def _last_of_each(project: str, kind: ExperimentKind) -> Subquery:
    """Id of the last decision on each experiment that has ended."""
    return (
        select(Row.experiment_id, func.max(Row.id).label("id"))
        .join(Experiment, Experiment.id == Row.experiment_id)
        .where(Row.project == project, Experiment.kind == kind, Experiment.outcome.is_not(None))
        .group_by(Row.experiment_id)
        .subquery()
    )


def _decision(row: Row) -> RecordedDecision:
    return RecordedDecision(
        id=row.id, experiment_id=row.experiment_id, look=row.look, verdict=Verdict(row.verdict), reason=row.reason,
        evidence_json=row.evidence, decision_json=row.decision, sha256=row.sha256, trial_ids=tuple(row.trial_ids),
        decided_at=row.decided_at,
    )  # fmt: skip
