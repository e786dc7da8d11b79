"""Production's own trials, the control of every experiment; on changed code they come first."""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark.contract.record import TrialPlan
from auto_benchmark.contract.trial import BenchmarkRef, TrialState
from auto_benchmark.db.repositories import defense
from auto_benchmark.experiments.gate import evidence
from auto_benchmark.experiments.gate.planning import SEEDS_PER_EXPERIMENT, trial_plan
from auto_benchmark.kinds import Purpose
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import production_config


def control_plans(
    ctx: Context,
    session: Session,
    *,
    at_least: int,
    purpose: Purpose = Purpose.CONTROL,
    data: BenchmarkRef | None = None,
) -> list[TrialPlan]:
    """Trials that production lacks to have ``at_least`` control seeds: those that are planned, then new ones.

    A seed that has failed, or ran on code or data from before, is not used again: its trial would not run anew.
    ``data`` has the items that an experiment began with; those that the gate asks now where it is not given.
    """
    current = evidence.production_on(ctx, session, data)
    have = {o.seed for o in evidence.control(ctx, session, current, items_of=None)}
    planned = defense.planned_seeds(
        session=session,
        project=ctx.project,
        config_hash=current.config_hash,
        tree=current.candidate.tree,
        purpose=purpose,
    )
    wanted = sorted(seed for seed, done in planned.items() if not done)
    first = 2**30 + current.id * SEEDS_PER_EXPERIMENT
    new = [seed for seed in range(first, first + SEEDS_PER_EXPERIMENT) if seed not in have and seed not in planned]
    wanted += new[: max(0, at_least - len(have) - len(wanted))]
    held = current.candidate
    return [trial_plan(ctx, held.benchmark, held.params, seed, purpose, tree=held.tree) for seed in wanted]


def first_control(ctx: Context, session: Session) -> list[TrialPlan]:
    """The trial that shows that production runs on the present code; none where one has."""
    current = production_config(ctx, session)
    if evidence.control(ctx, session, current, items_of=None):
        return []
    return control_plans(ctx, session, at_least=1)[:1]


def broken_control(ctx: Context, session: Session) -> str | None:
    """Why production does not run on the present code; None when it does, or when nothing has shown it yet."""
    current = production_config(ctx, session)
    last = defense.last_trial(
        session=session, project=ctx.project, config_hash=current.config_hash, tree=current.candidate.tree,
        purpose=Purpose.CONTROL,
    )  # fmt: skip
    if last is None or last.state is not TrialState.FAILED:
        return None
    if evidence.control(ctx, session, current, items_of=None):
        return None
    return (
        f"production's own trial {last.id} failed on the present code ({last.failure_class}: {last.message}); "
        "fix the solution, or restore it"
    )
