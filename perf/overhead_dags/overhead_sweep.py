"""The sweep factory's own mapped trials, 100 of them, as a dag of its own; the trials are the smallest toy trials."""

import os

from airflow.sdk import DAG, task

from auto_benchmark_airflow.dag_factories.experiment_sweep import NORMAL, Sweep
from auto_benchmark_airflow.dag_factories.projects import projects

COUNT = int(os.environ.get("AUTO_BENCHMARK_PERF_TASKS", "100"))

with DAG("overhead_sweep", schedule=None, catchup=False, default_args={"retries": 2, "retry_delay": 5.0}) as dag:

    @task
    def plan(name: str):
        from auto_benchmark.contract.record import TrialPlan
        from auto_benchmark.contract.trial import Stage
        from auto_benchmark.db.repositories import trials
        from auto_benchmark.project.reconcile import reconcile
        from auto_benchmark_airflow.hooks.project_database import project_context

        with project_context("default") as ctx:
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
                return [{"trial_id": t.id} for t in trials.plan(session=session, project="default", plans=plans)]

    Sweep(projects()[0], NORMAL).trials(plan("{{ run_id }}").operator)
