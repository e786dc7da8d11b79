"""What a run is started with, by what a person names: a task of the laboratory, or the folder of one from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from auto_benchmark.agents.agent import Agent
from auto_benchmark.lab import in_container
from auto_benchmark.lab.catalog import load
from auto_benchmark.lab.foreign import opened
from auto_benchmark.lab.judge import Judge, Sealed
from auto_benchmark.lab.task import Task
from auto_benchmark.settings import Settings


@dataclass(frozen=True, slots=True)
class RunEntry:
    """A task, who works on it, and who judges.

    Attributes:
        task: the task.
        agent: in a container where that is its place.
        judge: of its attempts.
        measures: whether there are public inputs to measure on; tests from elsewhere would be given away.
    """

    task: Task
    agent: Agent
    judge: Judge
    measures: bool


def entered(settings: Settings, text: str, agent: Agent, out: Path) -> RunEntry:
    """The entry that ``text`` names.

    Raises:
        InputError: there is no such task or folder, or an image cannot be built. ConfigError: its files are faulty.
        AutoBenchmarkError: there is no engine where one is needed.
    """
    if opened.is_folder(text):
        foreign, judge = opened.opened(text, out)
        return RunEntry(foreign, opened.placed(agent, judge), judge, measures=False)
    task = load(settings, text)
    return RunEntry(task, in_container.placed(settings, task, agent), Sealed(task), measures=True)
