"""Makes a folder in Harbor's format something that an agent can be run on: images built, given files taken out."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from auto_benchmark import atomic
from auto_benchmark.agents.agent import Agent
from auto_benchmark.agents.command import CommandAgent
from auto_benchmark.errors import AutoBenchmarkError, InputError
from auto_benchmark.lab.foreign import harbor_file
from auto_benchmark.lab.foreign.container_judge import LIMIT_MB, ContainerJudge
from auto_benchmark.lab.in_container import agent_in
from auto_benchmark.lab.judge import hash_of
from auto_benchmark.lab.task import Task, TaskFile
from auto_benchmark.runners import container_job
from auto_benchmark.runners.runner import EnvironmentFaultError

COPY = "task"
"""Folder of a run that holds the given files and the instruction."""
LONGEST_NAME = 60
REWARD = {
    "axis": "smarter", "language": "python", "metric": "reward", "unit": "reward", "direction": "maximize",
    "transform": "linear", "editable": ["."], "baseline": 0.0, "stretch": 1.0,
    "best_known": {"value": 1.0, "source": "Harbor's rewards reach from 0 to 1"},
}  # fmt: skip


def is_folder(text: str) -> bool:
    """Whether a person means a folder and no task of the laboratory."""
    return "/" in text or text in {".", ".."}


def opened(text: str, out: Path) -> tuple[Task, ContainerJudge]:
    """The task of a folder, and its tests as its judge.

    Args:
        text: the folder.
        out: folder of the run; what the image holds in its working directory is copied there once.

    Raises:
        InputError: there is no such folder, or an image cannot be built. ConfigError: its files are faulty.
        AutoBenchmarkError: there is no engine.
    """
    folder = Path(text).expanduser().resolve()
    if not folder.is_dir():
        raise InputError(f"{text}: no such folder")
    declared = harbor_file.read(folder)
    name = re.sub(r"[^a-z0-9_]+", "_", folder.name.lower())[:LONGEST_NAME].strip("_") or "task"
    try:
        image = _built(folder, "environment", name, declared.environment.build_timeout_sec)
        is_separate = declared.verifier.environment_mode == "separate"
        tests = _built(folder, "tests", name, declared.environment.build_timeout_sec) if is_separate else ""
        workdir = (declared.environment.workdir or container_job.workdir_of(image)).rstrip("/")
        if not workdir:
            raise InputError(
                f"{folder.name}/environment/Dockerfile: sets no WORKDIR: nothing says which files are edited"
            )
        copy = out.resolve() / COPY
        if not copy.is_dir():
            with atomic.new_directory(copy) as filled:
                (filled / "environment").mkdir()
                container_job.copied_out(image, workdir, filled / "environment", limit_mb=LIMIT_MB)
                shutil.copyfile(folder / "instruction.md", filled / "instruction.md")
    except EnvironmentFaultError as error:
        raise AutoBenchmarkError(f"{folder.name}: {error}") from None
    described = TaskFile.model_validate({"schema_version": "1.4", "metadata": {"optimization": REWARD}})
    task = Task(name, copy, described)
    return task, ContainerJudge(folder, declared, image, tests, workdir, task.environment)


def placed(agent: Agent, judge: ContainerJudge) -> Agent:
    """The agent in a container of the task's own image, where it is a program."""
    return agent_in(agent, judge.image) if isinstance(agent, CommandAgent) else agent


def _built(folder: Path, part: str, name: str, seconds: float) -> str:
    tag = f"auto-benchmark/task-{name}-{part}:{hash_of(folder, folder / part)}"
    return container_job.built(folder / part, name=tag, seconds=seconds)
