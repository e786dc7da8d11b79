"""A sweep of a few trials as the project's own DAGs run them, small enough to be killed many times.

### Triage
Only the chaos tests load this file.
"""

from dataclasses import replace
from datetime import timedelta

from auto_benchmark.flows.experiment_sweep import POOL
from auto_benchmark.flows.flow import Flow, Starts
from auto_benchmark.flows.reference import Conf
from auto_benchmark.flows.step import Step
from auto_benchmark.flows.sweep import trials
from auto_benchmark.ideas.steps import reconcile
from auto_benchmark_airflow.dag_factories.compiler import compiled
from auto_benchmark_airflow.dag_factories.projects import projects

SOON = timedelta(seconds=2)


def plan(ctx, purpose, wanted):
    """The trials that the run's conf asks for: ``{"purpose", "trials": [[seed, offset], ...]}``."""
    from auto_benchmark.contract.record import TrialPlan
    from auto_benchmark.contract.trial import Stage
    from auto_benchmark.db.repositories import trials as rows

    defaults = ctx.bench.solution.solution.defaults
    plans = [
        TrialPlan(
            solution="toy", params={**defaults, "offset": offset}, benchmark=ctx.bench.ref, stage=Stage.FAST,
            seed=seed, purpose=purpose, budget_s=120,
        )
        for seed, offset in wanted
    ]  # fmt: skip
    with ctx.sessions.begin() as session:
        planned = rows.plan(session=session, project=ctx.project, plans=plans)
    return [trial.id for trial in planned]


def flush(ctx):
    """Send what waits for the tracking server."""
    from auto_benchmark.project.tracking import flush as implementation

    return implementation(ctx)


FLOW = Flow(
    name="chaos_sweep",
    about="A few trials, small enough to be killed many times.",
    starts=Starts.HAND,
    limit=timedelta(hours=1),
    steps=(
        Step(id="reconcile", run=reconcile, migrates=True),
        Step(
            id="plan", run=plan, after=["reconcile"],
            arguments={"purpose": Conf("purpose"), "wanted": Conf("trials")},
        ),
        replace(trials("trial", "plan", pool=POOL), retries=4, limit=timedelta(minutes=10)),
        Step(id="flush", run=flush, after=["trial"]),
    ),
)  # fmt: skip
dag = compiled(FLOW, projects()[0], __doc__)
for task in dag.tasks:
    (task.partial_kwargs if task.is_mapped else vars(task))["retry_delay"] = SOON
