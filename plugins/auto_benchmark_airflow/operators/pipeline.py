"""One pipeline function as a task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow.sdk import BaseOperator, Context
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException
from auto_benchmark_airflow.xcom_guard import guarded


class PipelineOperator(BaseOperator):
    """Calls ``auto_benchmark.pipelines.<step>(ctx, **arguments)`` and hands its small result on.

    A step that returns None or False has nothing to do: the task is skipped, and what depends on it. A mistake in a
    configuration file fails the task at once; anything else is retried.

    Args:
        step: module and function below ``auto_benchmark.pipelines``, as ``"trials.run_trial"``.
        project: whose data it works on.
        arguments: keyword arguments, small JSON; may be mapped.
        each: the step returns a list, and every element becomes ``{each: element}``: the arguments of a mapped task.
        publish: tell Airflow's metrics afterwards how the project stands.
    """

    template_fields: Sequence[str] = ("arguments",)
    ui_color = "#e8f1fb"

    def __init__(
        self,
        *,
        step: str,
        project: str,
        arguments: dict[str, Any] | None = None,
        each: str | None = None,
        publish: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.step = step
        self.project = project
        self.arguments = arguments or {}
        self.each = each
        self.publish = publish

    def execute(self, context: Context) -> Any:
        """Run the step.

        Raises:
            AirflowSkipException: the step has nothing to do.
            AirflowFailException: a configuration file is faulty.
            XComTooLargeError: the result does not belong into Airflow's database.
        """
        from auto_benchmark.errors import InputError
        from auto_benchmark_airflow.hooks.project_database import project_context

        try:
            with project_context(self.project) as ctx:
                result = pipeline_function(self.step)(ctx, **self.arguments)
                if self.publish:
                    from auto_benchmark_airflow.metrics import publish

                    publish(ctx)
        except InputError as error:
            raise AirflowFailException(str(error)) from error
        if result is None or result is False:
            raise AirflowSkipException(f"{self.step} has nothing to do")
        if self.each is not None:
            result = [{self.each: element} for element in result]
        return guarded(result, task=self.task_id)

    def on_kill(self) -> None:
        """End what the step started: a trial is a process of its own and would train on."""
        import psutil

        for child in psutil.Process().children(recursive=True):
            try:
                child.kill()
            except psutil.NoSuchProcess:
                continue


def pipeline_function(step: str) -> Any:
    """The function that ``step`` names. Raises AirflowFailException when there is none."""
    from importlib import import_module

    module, _, name = step.rpartition(".")
    try:
        return getattr(import_module(f"auto_benchmark.pipelines.{module}"), name)
    except (ModuleNotFoundError, AttributeError) as error:
        raise AirflowFailException(f"no pipeline step {step!r}: {error}") from error
