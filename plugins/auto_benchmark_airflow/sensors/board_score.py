"""Waits until leaderboards show what was handed in to them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NoReturn

from airflow.sdk import BaseSensorOperator, Context
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from auto_benchmark.flows.step import Step
from auto_benchmark_airflow.triggers import board_score


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
        expected, names = self._awaited()
        if not expected:
            raise AirflowSkipException("nothing was handed in")
        self._wait(expected, names)

    def execute_complete(self, context: Context, event: dict[str, Any]) -> dict[str, float]:
        """Look once more, since an event says what was so when it was made; wait again for what is not shown now.

        Returns:
            Board -> the score that it shows.
        """
        expected, names = self._awaited()
        shown: dict[str, float] = {}
        waiting = []
        for one in expected:
            try:
                score = board_score.shown_score(one, names)
            except Exception as error:
                self.log.warning("%s cannot be read (%s); waiting again", one["spec"]["name"], error)
                score = None
            if score is None:
                waiting.append(one)
            else:
                shown[one["spec"]["name"]] = score
        if waiting:
            self._wait(waiting, names)
        self.log.info("shown: %s", shown)
        return shown

    def _awaited(self) -> tuple[list[dict[str, Any]], list[str]]:
        """What each board has to show, and our names."""
        from auto_benchmark.errors import InputError
        from auto_benchmark_airflow.hooks.project_database import project_context

        try:
            with project_context(self.project) as ctx:
                awaited, registry = self.step.run(ctx, **self.arguments), ctx.config.registry
        except InputError as error:
            raise AirflowFailException(str(error)) from error
        expected = [
            {
                "spec": registry.board(one["board"]).model_dump(mode="json", by_alias=True, exclude_unset=True),
                "score": one["score"],
            }
            for one in awaited
        ]
        ours = registry.our_solution
        return expected, [ours.name, *ours.aliases]

    def _wait(self, expected: list[dict[str, Any]], names: list[str]) -> NoReturn:
        self.defer(
            trigger=board_score.BoardScoreTrigger(expected=expected, names=names, poll_interval=self.poll_interval),
            method_name="execute_complete",
            timeout=timedelta(seconds=self.timeout),
        )
