"""Changed code that the doctor finds fault with is archived before its experiment has a trial."""

from __future__ import annotations

from auto_benchmark.experiments.gate.effect import changes_code
from auto_benchmark.experiments.gate.rounds import archive, experiment_of, plan_validation
from auto_benchmark.experiments.trials.examination import fault_of
from auto_benchmark.kinds import Outcome
from auto_benchmark.project.context import Context


def examine_and_plan(ctx: Context, hypothesis_id: str) -> list[int]:
    """Plan fast validation, unless the doctor refuses the code; ids of the trials that are not finished."""
    with ctx.sessions() as session:
        experiment = experiment_of(ctx, session, hypothesis_id)
    if experiment.outcome is Outcome.FAILED_VALIDATION:
        return []
    plan, fault = experiment.plan, None
    if changes_code(experiment):
        fault = fault_of(ctx, (plan.tree, plan.params), (plan.control_tree, plan.control_params or {}))
    if fault is None:
        return plan_validation(ctx, hypothesis_id)
    reason = f"the doctor refuses its code: {fault}"
    with ctx.sessions.begin() as session:
        archive(ctx, session, experiment, Outcome.FAILED_VALIDATION, reason)
    ctx.say(f"{hypothesis_id} archived: {reason}")
    return []
