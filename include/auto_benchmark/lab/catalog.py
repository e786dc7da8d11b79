"""The tasks of the laboratory: the folders of one directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from auto_benchmark.documents import validate
from auto_benchmark.errors import ConfigError, Fault, InputError
from auto_benchmark.lab import toml_file
from auto_benchmark.lab.task import Cheat, Task, TaskFile
from auto_benchmark.registry.names import folder_name
from auto_benchmark.settings import Settings
from auto_benchmark.spelling import did_you_mean
from auto_benchmark.text_file import text_of

TASK_FILE = "task.toml"
INSTRUCTION = "instruction.md"
NEEDED = (INSTRUCTION, "environment/Dockerfile", "solution/solve.sh", "tests/Dockerfile", "tests/test.sh",
          "tests/verify.py")  # fmt: skip


def names(settings: Settings) -> list[str]:
    """Names of all tasks, sorted."""
    return sorted(path.parent.name for path in settings.lab.glob(f"[!.]*/{TASK_FILE}"))


def chosen(settings: Settings, wanted: list[str]) -> list[str]:
    """The wanted tasks, or all. Raises InputError when there is none of such a name."""
    known = names(settings)
    for name in wanted:
        if name not in known:
            raise InputError(f"no task {name!r} in {settings.lab}{did_you_mean(name, known)}")
    return wanted or known


def load(settings: Settings, name: str) -> Task:
    """One task.

    Raises:
        InputError: there is no such task. ConfigError: its files are faulty, each fault with its place.
    """
    [name] = chosen(settings, [name])
    folder = settings.lab / name
    try:
        folder_name(name, "lab task")
    except InputError as error:
        raise ConfigError([Fault(f"{settings.lab.name}/{name[:80]}", None, "", str(error))]) from None
    shown = f"{folder.name}/{TASK_FILE}"
    task = Task(name, folder, validate(TaskFile, toml_file.read(folder / TASK_FILE, shown_as=shown)))
    missing = [file for file in NEEDED if not (folder / file).is_file()]
    missing += [f"environment/{file}" for file in task.anchors.editable if not (task.environment / file).is_file()]
    if task.anchors.reference is not None:
        missing += [f"solution/{file}" for file in task.anchors.editable if not (task.solution / file).is_file()]
    if missing:
        raise ConfigError([Fault(f"{name}/{file}", None, "", "is missing") for file in missing])
    if faults := list(_unusual(task)):
        raise ConfigError(faults)
    text_of(folder / INSTRUCTION, f"{name}/{INSTRUCTION}")
    return task


def _unusual(task: Task) -> Iterator[Fault]:
    """What cannot be copied as it is: a link shows what it points to, a pipe waits. Cheats may hold such things."""
    for place in sorted(task.folder.rglob("*")):
        inside = place.relative_to(task.folder)
        if inside.parts[:2] == ("tests", "cheats"):
            continue
        if place.is_symlink() or not (place.is_file() or place.is_dir()):
            kind = "a link" if place.is_symlink() else "no regular file"
            yield Fault(f"{task.name}/{inside}", None, "", f"is {kind}; a task holds files and folders alone")
        elif place.is_dir() and place.parent == task.environment:
            yield Fault(
                f"{task.name}/{inside}", None, "", "is a folder; a candidate is given files of environment/ alone"
            )


def load_all(settings: Settings) -> tuple[list[Task], list[Fault]]:
    """Every task whose files are sound, and the faults of the others."""
    tasks: list[Task] = []
    faults: list[Fault] = []
    for name in names(settings):
        try:
            tasks.append(load(settings, name))
        except ConfigError as error:
            faults += error.faults
    return tasks, faults


def cheats(task: Task) -> dict[str, tuple[Path, Cheat]]:
    """Name -> folder and declaration of each of a task's cheats. Raises ConfigError."""
    found = {}
    for folder in sorted(path for path in (task.tests / "cheats").glob("[!.]*") if path.is_dir()):
        shown = f"{task.name}/tests/cheats/{folder.name}/cheat.toml"
        found[folder.name] = folder, validate(Cheat, toml_file.read(folder / "cheat.toml", shown_as=shown))
    return found
