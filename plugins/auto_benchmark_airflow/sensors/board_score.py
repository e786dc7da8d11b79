"""Waits until leaderboards show what was handed in to them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import BaseSensorOperator, Context
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from auto_benchmark_airflow.triggers.board_score import BoardScoreTrigger


class BoardScoreSensor(BaseSensorOperator):
    """Succeeds once every board shows our entry with the score that the submission got; holds no worker meanwhile.

    Args:
        project: whose boards.
        submitted_by: id of the task that returned ``[{"board", "state", "score"}, ...]``; only accepted ones count.
        poll_interval: seconds between looks.
    """

    def __init__(self, *, project: str, submitted_by: str, poll_interval: float = 30.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.project = project
        self.submitted_by = submitted_by
        self.poll_interval = poll_interval

    def execute(self, context: Context) -> None:
        """Hand the waiting to the triggerer; skipped when nothing was accepted."""
        accepted = [
            one for one in context["ti"].xcom_pull(task_ids=self.submitted_by) or [] if one["state"] == "accepted"
        ]
        if not accepted:
            raise AirflowSkipException("nothing was handed in")
        registry = self._registry()
        expected = [
            {
                "spec": registry.board(one["board"]).model_dump(mode="json", by_alias=True, exclude_unset=True),
                "score": one["score"],
            }
            for one in accepted
        ]
        ours = registry.our_solution
        self.defer(
            trigger=BoardScoreTrigger(
                expected=expected, names=[ours.name, *ours.aliases], poll_interval=self.poll_interval
            ),
            method_name="execute_complete",
            timeout=timedelta(seconds=self.timeout),
        )

    def execute_complete(self, context: Context, event: dict[str, Any]) -> dict[str, float]:
        """Board -> the score that it shows."""
        self.log.info("shown: %s", event["shown"])
        return dict(event["shown"])

    def _registry(self) -> Any:
        from auto_benchmark.errors import InputError
        from auto_benchmark.project.configuration import load_project
        from auto_benchmark.settings import Settings

        try:
            return load_project(Settings(), self.project).registry
        except InputError as error:
            raise AirflowFailException(str(error)) from error
