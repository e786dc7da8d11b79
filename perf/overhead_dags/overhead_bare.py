"""A bare Airflow dag: 100 mapped tasks that do nothing."""

import os

from airflow.sdk import dag, task

COUNT = int(os.environ.get("AUTO_BENCHMARK_PERF_TASKS", "100"))


@dag(schedule=None, catchup=False, default_args={"retries": 2, "retry_delay": 5.0})
def overhead_bare():
    @task
    def plan():
        return list(range(COUNT))

    @task(pool="trial_slots")
    def nothing(number):
        return number

    nothing.expand(number=plan())


overhead_bare()
