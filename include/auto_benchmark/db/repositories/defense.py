"""Production's own trials over time, with what they ran on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from auto_benchmark.contract.record import Trial as TrialRecord
from auto_benchmark.contract.trial import Stage, TrialState
from auto_benchmark.db.models import Trial
from auto_benchmark.db.repositories import trials
from auto_benchmark.db.repositories.observations import metrics_of


@dataclass(frozen=True, slots=True)
class ProductionTrial:
    """One finished trial of production."""

    trial_id: int
    seed: int
    purpose: str
    fingerprint: dict[str, Any]
    metrics: dict[str, float]


def readings(
    *, session: Session, project: str, config_hash: str, tree: str, purposes: Collection[str]
) -> list[ProductionTrial]:
    """Finished full trials of a configuration in the order in which they ended, whatever they ran on."""
    query = (
        select(Trial.id, Trial.seed, Trial.purpose, Trial.fingerprint)
        .where(
            Trial.project == project,
            Trial.config_hash == config_hash,
            Trial.tree == tree,
            Trial.stage == Stage.FULL.value,
            Trial.state == TrialState.DONE.value,
            Trial.purpose.in_(list(purposes)),
        )
        .order_by(Trial.finished_at, Trial.id)
    )
    rows = session.execute(query).all()
    metrics = metrics_of(session=session, trial_ids=[row.id for row in rows])
    return [
        ProductionTrial(row.id, row.seed, row.purpose, row.fingerprint or {}, metrics.get(row.id, {})) for row in rows
    ]


def last_trial(*, session: Session, project: str, config_hash: str, tree: str, purpose: str) -> TrialRecord | None:
    """The trial of a configuration that was planned last for ``purpose``."""
    query = select(Trial.id).where(
        Trial.project == project, Trial.config_hash == config_hash, Trial.tree == tree, Trial.purpose == purpose
    )
    newest = session.scalar(query.order_by(Trial.id.desc()).limit(1))
    return None if newest is None else trials.get(session=session, project=project, trial_id=newest)


def planned_seeds(*, session: Session, project: str, config_hash: str, tree: str, purpose: str) -> dict[int, bool]:
    """Seed -> whether its trial is finished, for every trial of a configuration planned for ``purpose``."""
    query = select(Trial.seed, Trial.state).where(
        Trial.project == project, Trial.config_hash == config_hash, Trial.tree == tree, Trial.purpose == purpose
    )
    return {seed: TrialState(state).is_finished for seed, state in session.execute(query)}
