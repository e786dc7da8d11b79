"""The configurations in use: production's, and the one that experiments start from."""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import production
from auto_benchmark.project.context import Context
from auto_benchmark.promotion.production import ProductionConfig, Role


def production_config(ctx: Context, session: Session) -> ProductionConfig:
    """The configuration in production. ``reconcile`` has made sure that there is one."""
    current = production.current(session=session, project=ctx.project)
    if current is None:
        raise LookupError("no production configuration; run reconcile first")
    return current


def base_config(ctx: Context, session: Session) -> ProductionConfig:
    """Where experiments start: the challenger if there is one, else production."""
    challenger = production.current(session=session, project=ctx.project, role=Role.CHALLENGER)
    return challenger or production_config(ctx, session)
