"""One step of a flow as a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from airflow.sdk import Asset, AssetAlias, BaseOperator, Context
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from auto_benchmark.flows.step import Over, Step
from auto_benchmark_airflow.operators.task_facts import export_map_index
from auto_benchmark_airflow.xcom_guard import guarded


class PipelineOperator(BaseOperator):
    """Calls a step's function and hands its small result on.

    A mistake in a configuration file fails the task at once; anything else is retried.

    Args:
        step: what is run, and when it counts as skipped.
        project: whose data it works on.
        arguments: keyword arguments, small JSON; may be mapped.
        skip_when: skips the task before it asks anybody, if it is true.
        feeds: the mapped task that runs once per element of the result; every element becomes that task's arguments.
        announces: action -> name of the asset that is updated when the result's ``triggers`` hold the action.
    """

    template_fields: Sequence[str] = ("arguments", "skip_when")
    ui_color = "#e8f1fb"
    _runner: Any = None

    def __init__(
        self,
        *,
        step: Step,
        project: str,
        arguments: dict[str, Any] | None = None,
        skip_when: Any = None,
        feeds: Over | None = None,
        announces: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        if announces:
            kwargs["outlets"] = [AssetAlias(name) for name in announces.values()]
        super().__init__(**kwargs)
        self.step = step
        self.project = project
        self.arguments = arguments or {}
        self.skip_when = skip_when
        self.feeds = feeds
        self.announces = dict(announces or {})

    def execute(self, context: Context) -> Any:
        """Run the step.

        Raises:
            AirflowSkipException: the step has nothing to do.
            AirflowFailException: a configuration file is faulty.
            XComTooLargeError: the result does not belong into Airflow's database.
        """
        from auto_benchmark.errors import InputError

        if self.skip_when:
            raise AirflowSkipException(f"{self.step.id} is not needed any more")
        export_map_index(context)
        try:
            result = self._call()
        except InputError as error:
            raise AirflowFailException(str(error)) from error
        if self.step.may_skip and not result:
            raise AirflowSkipException(f"{self.step.id} has nothing to do")
        for action in set(self.announces) & set(result["triggers"] if self.announces else ()):
            name = self.announces[action]
            context["outlet_events"][AssetAlias(name)].add(Asset(name))
        if self.feeds is not None:
            result = [{self.feeds.name: element} for element in self.feeds.elements(result)]
        return guarded(result, task=self.task_id)

    def on_kill(self) -> None:
        """End what the step started, and begin nothing else: a trial is a process of its own and would train on."""
        import psutil

        if self._runner is not None:
            self._runner.stop()
        for child in psutil.Process().children(recursive=True):
            try:
                child.kill()
            except psutil.NoSuchProcess:
                continue

    def _call(self) -> Any:
        from auto_benchmark.runners.stoppable import StoppableRunner
        from auto_benchmark_airflow.hooks.project_database import database_url, project_context

        if self.step.migrates:
            from auto_benchmark.db.migrate import upgrade

            upgrade(database_url())
        with project_context(self.project) as ctx:
            self._runner = StoppableRunner(ctx.bench.runner)
            result = self.step.run(replace(ctx, bench=replace(ctx.bench, runner=self._runner)), **self.arguments)
            if self.step.publishes:
                from auto_benchmark_airflow.metrics import publish

                publish(ctx)
        return result
