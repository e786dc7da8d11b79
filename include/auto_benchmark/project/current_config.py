"""The configurations in use: production's, and the one that experiments start from."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import production
from auto_benchmark.project.context import Context
from auto_benchmark.project.gate_items import gate_ref
from auto_benchmark.promotion.production import ProductionConfig, Role


def production_config(ctx: Context, session: Session) -> ProductionConfig:
    """The configuration in production. ``reconcile`` has made sure that there is one."""
    current = production.current(session=session, project=ctx.project)
    if current is None:
        raise LookupError("no production configuration; run reconcile first")
    return on_present_data(ctx, session, current)


def on_present_data(ctx: Context, session: Session, held: ProductionConfig) -> ProductionConfig:
    """The configuration as the gate's present items measure it: no trial on others counts for it.

    Code and parameters are in production, whatever benchmark they were promoted on.
    """
    return replace(held, candidate=replace(held.candidate, benchmark=gate_ref(ctx, session)))


def base_config(ctx: Context, session: Session) -> ProductionConfig:
    """Where experiments start: the challenger if there is one, else production."""
    challenger = production.current(session=session, project=ctx.project, role=Role.CHALLENGER)
    return on_present_data(ctx, session, challenger) if challenger else production_config(ctx, session)
