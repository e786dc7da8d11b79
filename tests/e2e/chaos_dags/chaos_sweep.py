"""A sweep of a few trials as the project's own DAGs run them, small enough to be killed many times.

### Triage
Only the chaos tests load this file.
"""

from datetime import timedelta

from airflow.sdk import task

from auto_benchmark_airflow.dag_factories.defaults import project_dag, step
from auto_benchmark_airflow.dag_factories.projects import projects
from auto_benchmark_airflow.dag_factories.trials import trials


@task
def plan(dag_run=None):
    """The trials that the run's conf asks for: ``{"purpose", "trials": [[seed, offset], ...]}``."""
    from auto_benchmark.contract.record import TrialPlan
    from auto_benchmark.contract.trial import Stage
    from auto_benchmark.db.repositories import trials as rows
    from auto_benchmark_airflow.hooks.project_database import project_context

    with project_context("default") as ctx:
        defaults = ctx.bench.solution.solution.defaults
        plans = [
            TrialPlan(
                solution="toy", params={**defaults, "offset": offset}, benchmark=ctx.bench.ref, stage=Stage.FAST,
                seed=seed, purpose=dag_run.conf["purpose"], budget_s=120,
            )
            for seed, offset in dag_run.conf["trials"]
        ]  # fmt: skip
        with ctx.sessions.begin() as session:
            planned = rows.plan(session=session, project=ctx.project, plans=plans)
    return [{"trial_id": trial.id} for trial in planned]


project = projects()[0]
with project_dag(project, "chaos_sweep", __doc__, schedule=None, limit=timedelta(hours=1)) as dag:
    first = step(project, "experiment_sweep.reconcile", migrates=True)
    planned = plan.override(retry_delay=timedelta(seconds=2))()
    limits = {"pool": "trial_slots", "execution_timeout": timedelta(minutes=10), "retry_delay": timedelta(seconds=2)}
    ran = trials(project, planned.operator, **limits, retries=4)
    first >> planned
    ran >> step(project, "tracking.flush")
