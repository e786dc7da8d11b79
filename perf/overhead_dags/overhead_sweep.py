"""The sweep's own mapped trials, 100 of them, as a dag of its own; the trials are the smallest toy trials."""

import os
from datetime import timedelta

from auto_benchmark.flows.experiment_sweep import POOL
from auto_benchmark.flows.flow import Flow, Starts
from auto_benchmark.flows.reference import RunId
from auto_benchmark.flows.step import Step
from auto_benchmark.flows.sweep import trials
from auto_benchmark_airflow.dag_factories.compiler import compiled
from auto_benchmark_airflow.dag_factories.projects import projects

COUNT = int(os.environ.get("AUTO_BENCHMARK_PERF_TASKS", "100"))


def plan(ctx, name):
    """``COUNT`` trials that nobody has run."""
    from auto_benchmark.contract.record import TrialPlan
    from auto_benchmark.contract.trial import Stage
    from auto_benchmark.db.repositories import trials as rows
    from auto_benchmark.project.reconcile import reconcile

    reconcile(ctx)
    toy = ctx.bench.solution.solution
    plans = [
        TrialPlan(
            solution=toy.name, params=toy.defaults, benchmark=ctx.bench.ref, stage=Stage.FAST, seed=seed,
            purpose=f"overhead:{name}"[:60], budget_s=60.0, subset=0.05,
        )
        for seed in range(COUNT)
    ]  # fmt: skip
    with ctx.sessions.begin() as session:
        return [trial.id for trial in rows.plan(session=session, project="default", plans=plans)]


FLOW = Flow(
    name="overhead_sweep",
    about="The smallest trials, as many as are asked for.",
    starts=Starts.HAND,
    limit=timedelta(hours=1),
    steps=(
        Step(id="plan", run=plan, arguments={"name": RunId()}),
        trials("trial", "plan", pool=POOL, weight=1),
    ),
)
dag = compiled(FLOW, projects()[0])
for task in dag.tasks:
    (task.partial_kwargs if task.is_mapped else vars(task))["retry_delay"] = timedelta(seconds=5)
