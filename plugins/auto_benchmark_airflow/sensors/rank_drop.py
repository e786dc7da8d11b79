"""Waits until a competitor passes us, for DAGs of your own; see ``include/examples/rank_drop_notice.py``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NoReturn

from airflow.sdk import BaseSensorOperator, Context

from auto_benchmark_airflow.triggers.rank_drop import MOST_IDS, RankDropTrigger


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
        self._wait(self._since(context))

    def execute_complete(self, context: Context, event: dict[str, Any]) -> dict[str, Any]:
        """Look once more, and wait again where nothing is recorded that the sensor waits for.

        Returns:
            ``{"project", "events"}``: the ids of the recorded changes.
        """
        since = self._since(context)
        found = self._recorded(since)
        if not found:
            self._wait(since)
        self.log.info("%d rank drops of %s", len(found), self.project)
        return {"project": self.project, "events": found}

    def _since(self, context: Context) -> str:
        return self.since or context["dag_run"].run_after.isoformat()

    def _wait(self, since: str) -> NoReturn:
        self.defer(
            trigger=RankDropTrigger(
                project=self.project, conn_id=self.conn_id, since=since, poll_interval=self.poll_interval
            ),
            method_name="execute_complete",
            timeout=timedelta(seconds=self.timeout),
        )

    def _recorded(self, since: str) -> list[int]:
        """Ids of the newest rank drops recorded after a moment."""
        from auto_benchmark.db.engine import engine, session_factory
        from auto_benchmark.db.repositories import rank_drops
        from auto_benchmark_airflow.hooks.project_database import database_url

        bind = engine(database_url(self.conn_id))
        try:
            with session_factory(bind)() as session:
                return rank_drops.since(
                    session=session, project=self.project, after=datetime.fromisoformat(since), limit=MOST_IDS
                )
        finally:
            bind.dispose()
