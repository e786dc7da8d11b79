"""Waits until leaderboards show what was handed in to them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from airflow.sdk import BaseSensorOperator, Context
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from auto_benchmark.flows.step import Step
from auto_benchmark_airflow.triggers.board_score import BoardScoreTrigger


class BoardScoreSensor(BaseSensorOperator):
    """Succeeds once every board shows our entry with the score that the submission got; holds no worker meanwhile.

    Args:
        step: returns what the boards have to show, ``[{"board", "score", ...}, ...]``; skipped when that is nothing.
        project: whose boards.
        arguments: of the step.
        poll_interval: seconds between looks.
    """

    template_fields: Sequence[str] = ("arguments",)

    def __init__(
        self, *, step: Step, project: str, arguments: dict[str, Any], poll_interval: float = 30.0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.step = step
        self.project = project
        self.arguments = arguments
        self.poll_interval = poll_interval

    def execute(self, context: Context) -> None:
        """Hand the waiting to the triggerer; skipped when nothing was accepted."""
        from auto_benchmark.errors import InputError
        from auto_benchmark_airflow.hooks.project_database import project_context

        try:
            with project_context(self.project) as ctx:
                awaited, registry = self.step.run(ctx, **self.arguments), ctx.config.registry
        except InputError as error:
            raise AirflowFailException(str(error)) from error
        if not awaited:
            raise AirflowSkipException("nothing was handed in")
        expected = [
            {
                "spec": registry.board(one["board"]).model_dump(mode="json", by_alias=True, exclude_unset=True),
                "score": one["score"],
            }
            for one in awaited
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
