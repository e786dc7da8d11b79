"""Knobs come, go and narrow while a project runs: what is stored is brought into agreement with ``solution.yaml``.

What has ended stays as it was measured. What is still to come is changed: the configurations in their roles, the
hypotheses that wait, and trials that are planned but have not begun.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark.contract.trial import config_hash
from auto_benchmark.db.repositories import hypotheses, production, records, trials
from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus
from auto_benchmark.hypotheses.search.results import changed
from auto_benchmark.kinds import LogKind, Purpose
from auto_benchmark.project.context import Context
from auto_benchmark.promotion.production import Role
from auto_benchmark.registry.fitting import fit

WITHOUT_EXPERIMENT = (Purpose.SEARCH, Purpose.VALIDATION_BASE, Purpose.CONTROL, Purpose.DEFENSE)
WAITING = (HypothesisStatus.QUEUED, HypothesisStatus.PAUSED)


def fit_stored(ctx: Context, session: Session) -> None:
    """Fit everything that goes on to today's knobs, each change said and logged once; repeating it changes nothing."""
    for role in Role:
        _fit_role(ctx, session, role)
    for hypothesis in hypotheses.listed(session=session, project=ctx.project, statuses=WAITING):
        _fit_hypothesis(ctx, session, hypothesis)
    _cancel_planned(ctx, session)


def _fit_role(ctx: Context, session: Session, role: Role) -> None:
    holder = production.current(session=session, project=ctx.project, role=role)
    solution = ctx.bench.solution.solution
    if holder is None or holder.candidate.solution != solution.name:
        return
    fitted = fit(solution.knobs, holder.candidate.params)
    if not fitted.changes:
        return
    reason = f"solution.yaml has changed: {'; '.join(fitted.changes)}"
    opened, new = production.refit(
        session=session, project=ctx.project, role=role, params=fitted.params, reason=reason
    )
    if new:
        records.log(
            session=session, project=ctx.project, key=f"knobs/{opened.id}", kind=LogKind.KNOBS, subject=str(role),
            reason=reason, inputs={"from": holder.id, "to": opened.id, "params": fitted.params},
        )  # fmt: skip
        ctx.say(f"{role}: {reason}")


def _fit_hypothesis(ctx: Context, session: Session, waiting: Hypothesis) -> None:
    solution, implementation = ctx.bench.solution.solution, waiting.implementation
    base, params = fit(solution.knobs, implementation.base), fit(solution.knobs, implementation.params)
    if not base.changes and not params.changes:
        return
    begun = hypotheses.experiment_of(session=session, project=ctx.project, hypothesis_id=waiting.id) is not None
    patch = changed(params.params, base.params)
    words = "; ".join(dict.fromkeys((*base.changes, *params.changes)))
    is_left = bool(patch) or implementation.code is not None
    if is_left and (params.is_same or not begun):
        refitted = hypotheses.refit(
            session=session,
            project=ctx.project,
            hypothesis_id=waiting.id,
            implementation=implementation.model_copy(update={"base": base.params, "patch": patch}),
            config_hash=config_hash(solution.name, solution.configured(params.params), ctx.bench.ref),
        )
        if refitted:
            return
    why = "nothing of its change is left" if not is_left else "its trials are of a configuration that is gone"
    hypotheses.set_status(
        session=session,
        project=ctx.project,
        hypothesis_id=waiting.id,
        status=HypothesisStatus.SUPERSEDED,
        reason=f"superseded: solution.yaml has changed ({words}), and {why}",
        only_from=WAITING,
    )


def _cancel_planned(ctx: Context, session: Session) -> None:
    """Nothing waits for planned trials of a configuration that cannot be planned any more, and they would never end."""
    knobs = ctx.bench.solution.solution.knobs
    waiting = trials.waiting(session=session, project=ctx.project, purposes=WITHOUT_EXPERIMENT, experiment_id=None)
    for trial_id in waiting:
        planned = trials.get(session=session, project=ctx.project, trial_id=trial_id)
        if planned is None or planned.plan.solution != ctx.bench.solution.solution.name:
            continue
        if changes := fit(knobs, planned.plan.params).changes:
            trials.cancel(
                session=session, trial_ids=[trial_id], reason=f"solution.yaml has changed: {'; '.join(changes)}"
            )
