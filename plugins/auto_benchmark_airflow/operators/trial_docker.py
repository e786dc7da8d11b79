"""A trial in a hardened Docker container, as an Airflow task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from airflow.providers.docker.operators.docker import DockerOperator
from airflow.sdk import Context

from auto_benchmark_airflow.operators.task_facts import export_map_index
from auto_benchmark_airflow.xcom_guard import guarded


class TrialDockerOperator(DockerOperator):
    """Runs one planned trial of a project in a container of the engine that ``docker_conn_id`` names.

    Of its base it keeps the connection to the engine and its TLS settings; the container comes from the library's one
    specification, which the base has no arguments for. Results are read from an archive of the output volume as JSON;
    nothing is unpickled and no log line means anything. The container is named after the trial, so the try after a
    killed task finds it and goes on following it: there is no moment at which only the dead task knew of it.

    A failed trial is a result, not a failed task. Decisions look up the image's digest with the engine of
    ``DOCKER_HOST``: where that is another one, both must hold the same images.

    Args:
        project: whose trial.
        arguments: ``{"trial_id": …}``; may be mapped.
        kwargs: of :class:`DockerOperator` that concern the connection, and of any operator.
    """

    template_fields: Sequence[str] = ("arguments", "docker_conn_id")
    template_ext: Sequence[str] = ()
    ui_color = "#e8f1fb"
    _followed: Any = None

    def __init__(self, *, project: str, arguments: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(image="", mount_tmp_dir=False, auto_remove="never", **kwargs)
        self.project = project
        self.arguments = arguments

    def execute(self, context: Context) -> Any:
        """Run the trial, or follow the container that a former try started."""
        from auto_benchmark.experiments.trials.planned import run_trial
        from auto_benchmark.runners.docker import DockerRunner
        from auto_benchmark.runners.stoppable import StoppableRunner
        from auto_benchmark_airflow.hooks.project_database import project_context

        export_map_index(context)
        with project_context(self.project) as ctx:
            self._followed = StoppableRunner(DockerRunner(lambda: self.cli))
            result = run_trial(replace(ctx, bench=replace(ctx.bench, runner=self._followed)), **self.arguments)
        return guarded(result, task=self.task_id)

    def on_kill(self) -> None:
        """Remove the container and make no other: a person who kills the task wants the training to end."""
        from auto_benchmark.runners.docker import DockerRunner
        from auto_benchmark_airflow.hooks.project_database import project_context

        if self._followed is not None:
            self._followed.stop()
        with project_context(self.project) as ctx:
            name = ctx.trial_name(int(self.arguments["trial_id"]))
        DockerRunner(lambda: self.cli).sweep(lambda trial: trial == name)
