"""What every trial of the gate has in common."""

from __future__ import annotations

from auto_benchmark.contract.record import Experiment, TrialPlan
from auto_benchmark.contract.trial import BenchmarkRef, Stage
from auto_benchmark.kinds import Lane, Purpose
from auto_benchmark.project.context import Context
from auto_benchmark.registry.solution import Params

SEEDS_PER_EXPERIMENT = 1000


def trial_plan(
    ctx: Context,
    data: BenchmarkRef,
    params: Params,
    seed: int,
    purpose: Purpose,
    *,
    experiment: Experiment | None = None,
    stage: Stage = Stage.FULL,
    subset: float = 1.0,
    queue: Lane = Lane.NORMAL,
    tree: str,
) -> TrialPlan:
    """A trial of the project's solution on ``data`` with the code ``tree``, with the budget of its stage."""
    resources = ctx.bench.solution.solution.resources
    return TrialPlan(
        solution=ctx.bench.solution.solution.name,
        params=params,
        benchmark=data,
        stage=stage,
        seed=seed,
        purpose=purpose,
        subset=subset,
        budget_s=resources.fast_budget_s if stage is Stage.FAST else resources.budget_s,
        experiment_id=experiment.id if experiment else None,
        queue=queue,
        tree=tree,
    )
