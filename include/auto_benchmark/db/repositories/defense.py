"""Production's own trials over time, with what they ran on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from auto_benchmark.contract.trial import Stage, TrialState
from auto_benchmark.db.models import Trial
from auto_benchmark.db.repositories.observations import metrics_of


@dataclass(frozen=True, slots=True)
class ProductionTrial:
    """One finished trial of production."""

    trial_id: int
    seed: int
    purpose: str
    fingerprint: dict[str, Any]
    metrics: dict[str, float]


def readings(*, session: Session, project: str, config_hash: str, purposes: Collection[str]) -> list[ProductionTrial]:
    """Finished full trials of a configuration in the order in which they ended, whatever they ran on."""
    query = (
        select(Trial.id, Trial.seed, Trial.purpose, Trial.fingerprint)
        .where(
            Trial.project == project,
            Trial.config_hash == config_hash,
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


def planned_seeds(*, session: Session, project: str, config_hash: str, purpose: str) -> dict[int, bool]:
    """Seed -> whether its trial is finished, for every trial of a configuration planned for ``purpose``."""
    query = select(Trial.seed, Trial.state).where(
        Trial.project == project, Trial.config_hash == config_hash, Trial.purpose == purpose
    )
    return {seed: TrialState(state).is_finished for seed, state in session.execute(query)}
