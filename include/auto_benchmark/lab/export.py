"""A task's folder for other people's runners: the same files, with everything that its verifier needs beside it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from auto_benchmark import atomic
from auto_benchmark.errors import RefusedError, chosen_by_user
from auto_benchmark.lab.catalog import TASK_FILE
from auto_benchmark.lab.task import Task
from auto_benchmark.lab.verification import HARNESS
from auto_benchmark.runners.isolation import CONFINEMENT

LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")


def export(task: Task, to: Path) -> Path:
    """Write the task into a folder of ``to`` that needs nothing of this project; returns it.

    ``tests/`` gains the harness, the confinement, the anchors and its own copy of the environment, since a runner may hand
    the verifier nothing but that folder. Cheats stay behind.

    Raises:
        RefusedError: the folder exists. InputError: it cannot be written.
    """
    folder = to / task.name
    if os.path.lexists(folder):
        raise RefusedError(f"{folder} exists already; nothing was written")
    with chosen_by_user(folder), atomic.new_directory(folder) as filled:
        shutil.copytree(task.folder, filled, dirs_exist_ok=True, ignore=LEFT_OUT)
        tests = filled / "tests"
        shutil.rmtree(tests / "cheats", ignore_errors=True)
        shutil.copytree(HARNESS, tests / "harness", ignore=LEFT_OUT)
        shutil.copytree(CONFINEMENT, tests / "harness" / "confinement", ignore=LEFT_OUT)
        shutil.copytree(task.environment, tests / "environment", ignore=LEFT_OUT)
        shutil.copy(task.folder / TASK_FILE, tests / TASK_FILE)
        for script in (filled / "solution" / "solve.sh", tests / "test.sh"):
            script.chmod(0o755)
    return folder
