"""Planned trials as mapped tasks of the operator that belongs to the place where trials run."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from auto_benchmark.settings import Settings
from auto_benchmark_airflow.dag_factories.projects import Project
from auto_benchmark_airflow.operators.pipeline import PipelineOperator

OPERATORS = {
    "docker": "auto_benchmark_airflow.operators.trial_docker:TrialDockerOperator",
    "kubernetes": "auto_benchmark_airflow.operators.trial_pod:TrialPodOperator",
}
"""By ``AUTO_BENCHMARK_RUNNER``. Local trials are child processes of an ordinary step."""


def trials(project: Project, plan: PipelineOperator, *, task_id: str = "trial", **arguments: Any) -> Any:
    """One task for each trial that the task ``plan`` returned.

    Args:
        project: whose trials.
        plan: returns a list of ``{"trial_id": …}``.
        task_id: of the mapped task.
        arguments: of any operator: pool, limits, weights.
    """
    runner = Settings().runner
    if runner in OPERATORS:
        module, _, name = OPERATORS[runner].partition(":")
        operator = getattr(import_module(module), name)
    else:
        operator, arguments = PipelineOperator, {**arguments, "step": "trials.run_trial"}
    return operator.partial(task_id=task_id, project=project.name, **arguments).expand(arguments=plan.output)
