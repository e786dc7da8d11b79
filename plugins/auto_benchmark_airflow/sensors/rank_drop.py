"""Waits until a competitor passes us, for DAGs of your own; see ``include/examples/rank_drop_notice.py``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from airflow.sdk import BaseSensorOperator, Context

from auto_benchmark_airflow.triggers.rank_drop import RankDropTrigger


class RankDropSensor(BaseSensorOperator):
    """Succeeds once a rank drop of ``project`` was recorded after ``since``; holds no worker meanwhile.

    It claims nothing, so it neither takes an event from ``experiment_sweep_urgent`` nor misses one that was answered
    already. Every run waits from its own start, unless ``since`` says otherwise.

    Args:
        project: whose boards are watched.
        conn_id: Connection of the project database.
        since: ISO moment with a timezone; templated. The run's own moment when empty.
        poll_interval: seconds between looks when no notification comes.
    """

    template_fields: Sequence[str] = ("project", "since")

    def __init__(
        self,
        *,
        project: str = "default",
        conn_id: str = "auto_benchmark_db",
        since: str | None = None,
        poll_interval: float = 15.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.project = project
        self.conn_id = conn_id
        self.since = since
        self.poll_interval = poll_interval

    def execute(self, context: Context) -> None:
        """Hand the waiting to the triggerer."""
        since = self.since or context["dag_run"].run_after.isoformat()
        self.defer(
            trigger=RankDropTrigger(
                project=self.project, conn_id=self.conn_id, since=since, poll_interval=self.poll_interval
            ),
            method_name="execute_complete",
            timeout=timedelta(seconds=self.timeout),
        )

    def execute_complete(self, context: Context, event: dict[str, Any]) -> dict[str, Any]:
        """``{"project", "events"}``: the ids of the recorded changes."""
        self.log.info("%d rank drops of %s", len(event["events"]), event["project"])
        return event
