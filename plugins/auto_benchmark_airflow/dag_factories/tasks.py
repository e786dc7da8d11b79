"""A step of a flow as a task, of the operator that belongs to its kind and to the place where trials run."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import Any

from airflow.sdk import WeightRule

from auto_benchmark.flows.flow import Flow, next_run_id
from auto_benchmark.flows.step import FIRST_DELAY, LIMIT, LONGEST_DELAY, RETRIES, Over, Rule, Step, StepKind
from auto_benchmark.settings import Settings
from auto_benchmark_airflow.dag_factories.projects import ScheduledProject
from auto_benchmark_airflow.dag_factories.references import templated
from auto_benchmark_airflow.operators.pipeline import PipelineOperator

TRIAL_OPERATORS = {
    "docker": "auto_benchmark_airflow.operators.trial_docker:TrialDockerOperator",
    "kubernetes": "auto_benchmark_airflow.operators.trial_pod:TrialPodOperator",
}
"""By ``AUTO_BENCHMARK_RUNNER``. Local trials are child processes of an ordinary step."""
DEFAULTS: dict[str, Any] = {
    "owner": "auto-benchmark",
    "retries": RETRIES,
    "retry_delay": FIRST_DELAY,
    "retry_exponential_backoff": True,
    "max_retry_delay": LONGEST_DELAY,
    "execution_timeout": LIMIT,
}
"""What every task of the project has unless its step says otherwise."""
LOOK_EVERY_S = 10.0


def asset(project: ScheduledProject, event: str) -> str:
    """Name of the asset that stands for an event of a project."""
    return f"auto_benchmark_{event}_{project.name}"


class TaskMaker:
    """Makes the tasks of one DAG, in the DAG and group at hand.

    Args:
        flow: whose steps become tasks.
        project: whose data they work on.
    """

    def __init__(self, flow: Flow, project: ScheduledProject) -> None:
        self.flow, self.project = flow, project
        self.made: dict[str, Any] = {}

    @cached_property
    def trial_operator(self) -> Any:
        """What a trial is a task of at present; None where it is a child process of an ordinary task."""
        module, _, name = TRIAL_OPERATORS.get(Settings().runner, "").partition(":")
        return getattr(import_module(module), name) if module else None

    def add(self, step: Step) -> Any:
        """The step as a task, behind the tasks that it waits for."""
        task = self.made[step.id] = self._task(step)
        if step.upstream:
            task.set_upstream([self.made[other] for other in step.upstream])
        return task

    def _task(self, step: Step) -> Any:
        if step.over is not None:
            return self._mapped(step, step.over)
        if step.kind is StepKind.REPEAT:
            return self._repeat(step)
        if step.kind is StepKind.AWAIT:
            return self._sensor(step)
        made = PipelineOperator(
            step=step,
            project=self.project.name,
            arguments=arguments(step, self.project),
            skip_when=templated(step.skip_when, self.project.schedule.timezone),
            feeds=self.flow.over(step.id),
            announces={action: asset(self.project, event) for action, event in step.announces.items()},
            **common(step),
        )
        return made.as_teardown() if step.rule is Rule.TEARDOWN else made

    def _mapped(self, step: Step, over: Over) -> Any:
        """One task per element that an earlier task returned."""
        if step.kind is StepKind.TRIAL and self.trial_operator is not None:
            partial = self.trial_operator.partial(project=self.project.name, **common(step))
        else:
            partial = PipelineOperator.partial(step=step, project=self.project.name, **common(step))
        return partial.expand(arguments=self.made[over.step].output)

    def _sensor(self, step: Step) -> Any:
        from auto_benchmark_airflow.sensors.board_score import BoardScoreSensor

        patience: dict[str, Any] = {
            "execution_timeout": None,
            "timeout": step.limit.total_seconds(),
            "poll_interval": LOOK_EVERY_S,
        }
        about: dict[str, Any] = {
            "step": step,
            "project": self.project.name,
            "arguments": arguments(step, self.project),
        }
        return BoardScoreSensor(**about, **(common(step) | patience))

    def _repeat(self, step: Step) -> Any:
        """Starts the next run of the same DAG. The run's name makes it one, however often the task runs."""
        from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator

        return TriggerDagRunOperator(
            trigger_dag_id=self.project.dag_id(self.flow.name),
            trigger_run_id=next_run_id("{{ run_id }}"),
            logical_date=None,
            conf=arguments(step, self.project),
            skip_when_already_exists=True,
            **common(step),
        )


def arguments(step: Step, project: ScheduledProject) -> dict[str, Any]:
    """A step's arguments as a template field."""
    return {name: templated(value, project.schedule.timezone) for name, value in step.arguments.items()}


def common(step: Step) -> dict[str, Any]:
    """What every operator takes."""
    told: dict[str, Any] = {
        "task_id": step.id.rpartition(".")[2],
        "execution_timeout": step.limit,
        "retries": step.retries,
        "trigger_rule": (Rule.ALL_SUCCESS if step.rule is Rule.TEARDOWN else step.rule).value,
    }
    if step.pool is not None:
        told["pool"] = step.pool
    if step.parallel is not None:
        told["max_active_tis_per_dagrun"] = step.parallel
    if step.weight is not None:
        told |= {"weight_rule": WeightRule.ABSOLUTE, "priority_weight": step.weight}
    return told
