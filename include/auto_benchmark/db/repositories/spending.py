"""What trials have cost, for budgets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from auto_benchmark.db.models import Trial


@dataclass(frozen=True, slots=True)
class Spent:
    """Trials started, hours of wall clock, money by the rate card."""

    trials: int
    hours: float
    money: float


def since(*, session: Session, project: str, moment: datetime) -> Spent:
    """Spending of a project since ``moment``."""
    query = select(func.count(), func.coalesce(func.sum(Trial.wall_s), 0.0), func.coalesce(func.sum(Trial.cost), 0.0))
    count, wall_s, money = session.execute(query.where(Trial.project == project, Trial.started_at >= moment)).one()
    return Spent(int(count), float(wall_s or 0.0) / 3600, float(money or 0.0))
