"""An Airflow dag of your own that reacts to a rank drop: copy it into your dags folder and change `tell`.

The sensor waits in the triggerer, so it holds no worker. It takes no event away from `experiment_sweep_urgent`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import dag, task

from auto_benchmark_airflow.sensors.rank_drop import RankDropSensor


@dag(schedule="@daily", catchup=False, max_active_runs=1, doc_md=__doc__, tags=["example"])
def rank_drop_notice() -> None:
    """Wait a day for a rank drop of the default project, then tell somebody."""
    passed = RankDropSensor(
        task_id="wait_for_rank_drop", project="default", timeout=timedelta(hours=23).total_seconds(), soft_fail=True
    )

    @task
    def tell(event: dict[str, Any]) -> str:
        """Replace this with what your team wants to happen."""
        return f"{len(event['events'])} competitors have passed {event['project']}"

    tell(passed.output)  # type: ignore[arg-type]


rank_drop_notice()
