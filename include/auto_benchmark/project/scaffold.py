"""Writes new benchmarks, solutions and projects that ``check`` and ``doctor`` accept at once.

A folder is filled aside and renamed into place, so it is there whole or not at all; what exists is never touched.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auto_benchmark.documents import to_yaml
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.project.configuration import (
    DEFAULT_PROJECT,
    REGISTRY_FILE,
    load_benchmark,
    load_solution,
    project_directory,
    shown,
)
from auto_benchmark.project.sample_items import SIZES, sample_items
from auto_benchmark.registry.names import folder_name, project_name
from auto_benchmark.registry.standard_metrics import STANDARD, Answers
from auto_benchmark.scratch import scratch_folder
from auto_benchmark.settings import Settings

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = ("sklearn", "pytorch")
SOLUTION_FILES = ("solution/features.py", "solution/trial.py", "solution/Dockerfile")


@dataclass(frozen=True, slots=True)
class Written:
    """What a command has made, and what to do next.

    Attributes:
        folders: as a user would type them.
        next: one line.
    """

    folders: list[str]
    next: str


def new_benchmark(settings: Settings, name: str) -> Written:
    """A benchmark in files, with sample data.

    Raises:
        InputError: the name cannot be one, or the folder cannot be written; RefusedError: it exists.
    """
    folder_name(name, "benchmark")
    folder = settings.benchmarks / name
    files = {"benchmark.yaml": _rendered("benchmark/benchmark.yaml", name=name, board=f"{name}_board")}
    _place(folder, {**files, **{f"{split}.jsonl": sample_items(split) for split in SIZES}})
    rows = ", ".join(f"{split}.jsonl" for split in SIZES)
    next_step = (
        f"next: put your own rows into {shown(folder)}/ ({rows}), run `auto-benchmark check`, "
        f"then `auto-benchmark new solution {name} --benchmark {name}`"
    )
    return Written([shown(folder)], next_step)


def new_solution(
    settings: Settings, name: str, *, benchmark: str | None = None, template: str = TEMPLATES[0]
) -> Written:
    """A solution from a template, with a benchmark of the same name where none is named and none is there.

    Args:
        settings: where things lie.
        name: of the solution.
        benchmark: what it is measured on; the one called like the solution by default.
        template: one of :data:`TEMPLATES`.

    Raises:
        InputError: a name cannot be one, there is no such benchmark or template, or a folder cannot be written.
        RefusedError: the solution exists.
        ConfigError: the benchmark is faulty.
    """
    folder_name(name, "solution")
    if template not in TEMPLATES:
        raise InputError(f"no template {template!r}; there are {', '.join(TEMPLATES)}")
    folder = settings.solutions / name
    _refuse_existing(folder)
    made = []
    if benchmark is None and not (settings.benchmarks / name).exists():
        made = new_benchmark(settings, name).folders
    declared = load_benchmark(settings, benchmark or name).benchmark
    metric = STANDARD.get(declared.scorer)
    values = {
        "name": name, "benchmark": declared.name, "numbers": metric is not None and metric.answers is Answers.NUMBER
    }  # fmt: skip
    own = tuple(f"{template}/{file}" for file in ("solution.yaml", "train.py", "requirements.lock"))
    _place(folder, {Path(file).name: _rendered(file, **values) for file in (*own, *SOLUTION_FILES)})
    return Written([*made, shown(folder)], f"next: {_doctor(name, template)}")


def new_project(
    settings: Settings, name: str, *, solution: str | None = None, template: str = TEMPLATES[0]
) -> Written:
    """A project on a solution, with a solution and a benchmark of the same name where none is named and none is there.

    Args:
        settings: where things lie.
        name: of the project.
        solution: what it improves; the one called like the project by default.
        template: of a solution that has to be made.

    Raises:
        InputError: as :func:`new_solution`; RefusedError: the project exists. ConfigError: what it builds on is faulty.
    """
    if project_name(name) == DEFAULT_PROJECT:
        raise RefusedError(f"the project {DEFAULT_PROJECT!r} is {shown(settings.config / REGISTRY_FILE)} itself")
    folder = project_directory(settings, name)
    _refuse_existing(folder)
    made: list[str] = []
    if solution is None and not (settings.solutions / name).exists():
        made = new_solution(settings, name, template=template).folders
    declared = load_solution(settings, solution or name).solution
    benchmark = load_benchmark(settings, declared.benchmark).benchmark
    boards = [(board, metric.metric, metric.higher_is_better) for board, metric in benchmark.boards.items()]
    values = {
        "name": name, "solution": declared.name, "benchmark": benchmark.name, "boards": boards,
        "our_name": "".join(part.capitalize() for part in name.split("_")),
    }  # fmt: skip
    files = {
        REGISTRY_FILE: _rendered(f"project/{REGISTRY_FILE}", **values),
        "schedule.yaml": _rendered("project/schedule.yaml"),
    }
    for i, (_, _, higher) in enumerate(boards, 1):
        leader, follower = (0.6, 0.3) if higher else (0.3, 0.6)
        files[f"board-{i}.yaml"] = _rendered("project/board.yaml", leader=leader, follower=follower)
    _place(folder, files, aside=settings.config)
    next_step = (
        f"next: say in {shown(folder / REGISTRY_FILE)} which board you watch, run "
        f"`{_doctor(declared.name, template if made else '')}`, then `auto-benchmark loop run --project {name}`"
    )
    return Written([*made, shown(folder)], next_step)


def _doctor(name: str, template: str) -> str:
    """The command that installs a new solution's packages; the build of PyTorch that suits a machine is written by it."""
    return f"auto-benchmark doctor {name}{' --lock' if template == 'pytorch' else ''}"


def _refuse_existing(folder: Path) -> None:
    if os.path.lexists(folder):
        raise RefusedError(f"{shown(folder)} exists already; nothing was written")


def _place(folder: Path, files: Mapping[str, str], *, aside: Path | None = None) -> None:
    """Write a folder whole or not at all.

    Args:
        folder: where; it must not exist.
        files: name -> text.
        aside: existing directory of the same file system in which it is filled; the folder's parent's by default. Not
            where a half-written folder would count as a project.
    """
    _refuse_existing(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with scratch_folder("new", aside or folder.parent) as draft:
            filled = draft / folder.name
            filled.mkdir()
            for name, text in files.items():
                (filled / name).write_text(text, encoding="utf-8")
            _refuse_existing(folder)
            filled.rename(folder)  # fails where somebody was faster with a folder that holds anything
    except OSError as error:
        if folder.exists():
            _refuse_existing(folder)
        raise InputError(f"{shown(folder)} cannot be written: {error.strerror or error}") from None


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(  # noqa: S701 - YAML and Python, not HTML; every value is a checked name or quoted
        loader=PackageLoader("auto_benchmark.project"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["quoted"] = lambda text: json.dumps(text, ensure_ascii=False)
    environment.filters["text"] = lambda name: to_yaml([name]).removeprefix("- ").strip()  # true, on, null: in quotes
    return environment


def _rendered(template: str, **values: Any) -> str:
    return _templates().get_template(f"{template}.j2").render(**values)
