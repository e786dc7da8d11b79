"""One pipeline function as a task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow.sdk import Asset, AssetAlias, BaseOperator, Context
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from auto_benchmark_airflow.operators.task_facts import export_map_index
from auto_benchmark_airflow.xcom_guard import guarded


class PipelineOperator(BaseOperator):
    """Calls ``auto_benchmark.pipelines.<step>(ctx, **arguments)`` and hands its small result on.

    A mistake in a configuration file fails the task at once; anything else is retried.

    Args:
        step: module and function below ``auto_benchmark.pipelines``, as ``"trials.run_trial"``.
        project: whose data it works on.
        arguments: keyword arguments, small JSON; may be mapped.
        each: the result is a list, and every element becomes ``{each: element}``: arguments of a mapped task.
        of: the list is under this key of the result; all of the result goes into XCom as ``result``.
        may_skip: an empty result means that there is nothing to do: this task and its followers skip.
        skip_when: template; the text ``True`` skips the task before it asks anybody.
        migrates: bring the project database to the newest schema first.
        publishes: tell Airflow's metrics afterwards how the project stands.
        announces: action -> name of the asset that is updated when the result's ``triggers`` hold the action.
    """

    template_fields: Sequence[str] = ("arguments", "skip_when")
    ui_color = "#e8f1fb"

    def __init__(
        self,
        *,
        step: str,
        project: str,
        arguments: dict[str, Any] | None = None,
        each: str | None = None,
        of: str | None = None,
        may_skip: bool = False,
        skip_when: str | None = None,
        migrates: bool = False,
        publishes: bool = False,
        announces: dict[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        if announces:
            kwargs["outlets"] = [AssetAlias(name) for name in announces.values()]
        super().__init__(**kwargs)
        self.step = step
        self.project = project
        self.arguments = arguments or {}
        self.each = each
        self.of = of
        self.may_skip = may_skip
        self.skip_when = skip_when
        self.migrates = migrates
        self.publishes = publishes
        self.announces = announces or {}

    def execute(self, context: Context) -> Any:
        """Run the step.

        Raises:
            AirflowSkipException: the step has nothing to do.
            AirflowFailException: a configuration file is faulty.
            XComTooLargeError: the result does not belong into Airflow's database.
        """
        from auto_benchmark.errors import InputError

        if self.skip_when == "True":
            raise AirflowSkipException(f"{self.step} is not needed any more")
        export_map_index(context)
        try:
            result = self._call()
        except InputError as error:
            raise AirflowFailException(str(error)) from error
        if self.may_skip and not result:
            raise AirflowSkipException(f"{self.step} has nothing to do")
        for action in set(self.announces) & set(result["triggers"] if self.announces else ()):
            name = self.announces[action]
            context["outlet_events"][AssetAlias(name)].add(Asset(name))
        if self.of is not None:
            context["ti"].xcom_push(key="result", value=guarded(result, task=self.task_id))
            result = result[self.of]
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

    def _call(self) -> Any:
        from auto_benchmark_airflow.hooks.project_database import database_url, project_context

        if self.migrates:
            from auto_benchmark.db.migrate import upgrade

            upgrade(database_url())
        with project_context(self.project) as ctx:
            result = pipeline_function(self.step)(ctx, **self.arguments)
            if self.publishes:
                from auto_benchmark_airflow.metrics import publish

                publish(ctx)
        return result


def pipeline_function(step: str) -> Any:
    """The function that ``step`` names. Raises AirflowFailException when there is none."""
    from importlib import import_module

    module, _, name = step.rpartition(".")
    try:
        return getattr(import_module(f"auto_benchmark.pipelines.{module}"), name)
    except (ModuleNotFoundError, AttributeError) as error:
        raise AirflowFailException(f"no pipeline step {step!r}: {error}") from error
