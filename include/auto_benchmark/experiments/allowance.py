"""Whether a trial may start, or go on: read anew each time, so that a kill switch works in the middle of a run."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.orm import Session

from auto_benchmark.contract.record import TrialPlan
from auto_benchmark.db.repositories import spending
from auto_benchmark.errors import ConfigError
from auto_benchmark.hypotheses import allowance
from auto_benchmark.hypotheses.allowance import Used
from auto_benchmark.hypotheses.hypothesis import Urgency
from auto_benchmark.project.configuration import load_optional, project_directory
from auto_benchmark.project.context import Context
from auto_benchmark.registry.schedule import Mode, ScheduleFile

DAY = timedelta(days=1)
UNBOUND = ("submit:", "defense")
"""Purposes that the switch for experiments does not stop: handing in has its own, and production is watched."""


def why_not(ctx: Context, session: Session, *, urgency: Urgency = Urgency.NORMAL) -> str | None:
    """Why no experiment may start now; None when one may."""
    return allowance.refusal(_schedule(ctx), _used(ctx, session), urgency=urgency)


def why_stop(ctx: Context, plan: TrialPlan, *, elapsed_s: float = 0.0) -> str | None:
    """Why a planned trial may not start or go on; submissions have their own limits.

    Args:
        ctx: the project.
        plan: the trial.
        elapsed_s: how long it has been running already.
    """
    if plan.purpose.startswith("submit:"):
        return None
    with ctx.sessions() as session:
        used = _used(ctx, session)
    if elapsed_s:  # it is among the started trials already, its time is not
        used = Used(used.trials - 1, used.hours + elapsed_s / 3600, used.money + ctx.bench.cost(elapsed_s))
    if plan.purpose.startswith(UNBOUND):
        return allowance.spent(ctx.config.schedule.budget, used)
    return allowance.refusal(_schedule(ctx), used)


def _used(ctx: Context, session: Session) -> Used:
    day = spending.since(session=session, project=ctx.project, moment=ctx.now() - DAY)
    return Used(day.trials, day.hours, day.money)


def _schedule(ctx: Context) -> ScheduleFile:
    """The schedule that the run began with, with the kill switch as the file has it now."""
    begun = ctx.config.schedule
    try:
        now = load_optional(ScheduleFile, project_directory(ctx.settings, ctx.project) / "schedule.yaml")
    except ConfigError:  # somebody is writing it; what the run began with stands
        return begun
    if now.automation.experiments is not Mode.OFF:
        return begun
    return begun.model_copy(update={"automation": now.automation})
