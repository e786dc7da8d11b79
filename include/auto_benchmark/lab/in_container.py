"""Attempts of programs in containers, where an engine is configured; searches of ours and models work in this process."""

from __future__ import annotations

from dataclasses import replace

from auto_benchmark.agents.agent import Agent
from auto_benchmark.agents.command import CommandAgent
from auto_benchmark.agents.place import InContainer
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.lab.judge import hash_of
from auto_benchmark.lab.task import Task
from auto_benchmark.runners import container_job
from auto_benchmark.runners.runner import EnvironmentFaultError
from auto_benchmark.settings import Settings

BUILD_S = 900.0


def placed(settings: Settings, task: Task, agent: Agent) -> Agent:
    """The agent where its attempts belong: in a container of the task's environment when trials run in containers.

    Raises:
        InputError: the task's Dockerfile cannot be built. AutoBenchmarkError: there is no engine.
    """
    if settings.runner != "docker" or not isinstance(agent, CommandAgent):
        return agent
    tag = f"auto-benchmark/lab-{task.name}:{hash_of(task.folder, task.environment)}"
    try:
        return agent_in(agent, container_job.built(task.environment, name=tag, seconds=BUILD_S))
    except EnvironmentFaultError as error:
        raise AutoBenchmarkError(f"{task.name}: {error}") from None


def agent_in(agent: CommandAgent, image: str) -> CommandAgent:
    """The same program, run in containers of an image."""
    return replace(agent, place=InContainer(image))
