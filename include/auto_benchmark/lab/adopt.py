"""``lab adopt``: a laboratory task becomes a benchmark, a solution that the loop improves, and a board of an arena."""

from __future__ import annotations

import os
import shutil
from typing import Any

from auto_benchmark import atomic, documents
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.lab.graded import REWARD, SCORE
from auto_benchmark.lab.task import Task
from auto_benchmark.project.scaffold import Written
from auto_benchmark.registry.names import folder_name
from auto_benchmark.settings import Settings

PREFIX = "lab_"
DRAWS = {"train": 1, "search": 2, "gate": 4, "hidden": 3}
"""Verifications of a split; training data there is none, but every benchmark has the split."""
LONGEST_ANSWER = 200_000
GENERATOR = '''"""Verifications of the laboratory task {name}, each on sealed inputs of its own."""

from auto_benchmark.lab.graded import draws


def generate(seed, worlds):
    return draws(seed, worlds)
'''
SCORER = '''"""The sealed verifier of the laboratory task {name}: trials are graded by their code, submissions by text."""

from auto_benchmark.lab.graded import grade_texts, grade_tree

TASK = "{name}"


def score(predictions, answers):
    return grade_texts(TASK, predictions, answers)


def score_tree(tree, answers, seed):
    return grade_tree(TASK, tree, answers, seed)
'''
TRIAL = '''"""Hands in the files of the solution as text. What they are worth is measured by the task's verifier."""

import json
import os
from pathlib import Path

FILES = {files}
OUTPUT = Path(os.environ["AB_OUTPUT_DIR"])

texts = json.dumps({{name: Path(__file__).with_name(name).read_text("utf-8") for name in FILES}}, ensure_ascii=False)
with (Path(os.environ["AB_DATA_DIR"]) / "inputs.jsonl").open(encoding="utf-8") as inputs:
    items = [row["id"] for row in map(json.loads, inputs) if "id" in row]
rows = [json.dumps({{"id": item, "answer": texts}}, ensure_ascii=False) + "\\n" for item in items]
(OUTPUT / "predictions.jsonl").write_text("".join(rows), encoding="utf-8")
(OUTPUT / "metrics.json").write_text(json.dumps({{"metrics": {{}}}}), encoding="utf-8")
'''


def adopt(settings: Settings, task: Task) -> Written:
    """Write ``benchmarks/lab_<task>/`` and ``solutions/lab_<task>/``, and the board's file for an arena.

    The solution holds the task's given files: what a project that follows the board improves. The reference stays where it
    is; it would be the first thing that anybody proposes.

    Raises:
        RefusedError: one of them exists. InputError: a folder cannot be written.
    """
    name = folder_name(PREFIX + task.name, "benchmark")
    places = {
        settings.benchmarks / name: _benchmark(task, name),
        settings.solutions / name: _solution(task, name),
    }
    board = settings.arena / "boards" / f"{name}.yaml"
    for place in (*places, board):
        if os.path.lexists(place):
            raise RefusedError(f"{place} exists already; nothing was written")
    try:
        for place, files in places.items():
            with atomic.new_directory(place) as draft:
                for file, text in files.items():
                    (draft / file).write_text(text, encoding="utf-8")
                if place.parent == settings.solutions:
                    for file in task.anchors.editable:
                        shutil.copyfile(task.environment / file, draft / file)
        board.parent.mkdir(parents=True, exist_ok=True)
        atomic.write_text(board, documents.to_yaml(_board(task, name)))
    except OSError as error:
        raise InputError(f"{error.filename or name} cannot be written: {error.strerror or error}") from None
    made = [str(place) for place in (*places, board)]
    return Written(made, f"next: auto-benchmark doctor {name}, then auto-benchmark new project {name}")


def board_of(name: str) -> str:
    """Name of the board of an adopted task."""
    return f"{name}_board"


def _benchmark(task: Task, name: str) -> dict[str, str]:
    splits: dict[str, Any] = {
        split: {"seed": number, "worlds": DRAWS[split]} for number, split in enumerate(("train", "search", "gate"), 1)
    }
    declared = {
        "name": name, "version": "1", "task": f"The laboratory task {task.name}: {task.anchors.metric}",
        "generator": "generator.py", "scorer": "scorer.py",
        "boards": {board_of(name): {"metric": REWARD, "higher_is_better": True}},
        "secondary": [{"name": SCORE, "higher_is_better": task.anchors.direction == "maximize"}],
        "splits": {**splits, "hidden": {"worlds": DRAWS["hidden"]}},
    }  # fmt: skip
    return {
        "benchmark.yaml": documents.to_yaml(declared),
        "generator.py": GENERATOR.format(name=task.name),
        "scorer.py": SCORER.format(name=task.name),
    }


def _solution(task: Task, name: str) -> dict[str, str]:
    declared = {
        "name": name, "command": ["python", "trial.py"], "image": f"auto-benchmark/{name.replace('_', '-')}:1",
        "benchmark": name, "knobs": {}, "editable": list(task.anchors.editable),
        "resources": {"cpus": 1.0, "memory_mb": 512, "budget_s": 60.0, "fast_budget_s": 30.0},
    }  # fmt: skip
    return {
        "solution.yaml": documents.to_yaml(declared),
        "requirements.lock": "",
        "trial.py": TRIAL.format(files=repr(list(task.anchors.editable))),
    }


def _board(task: Task, name: str) -> dict[str, Any]:
    return {
        "board": board_of(name), "benchmark": name, "description": f"Reward of the laboratory task {task.name}.",
        "submissions_per_day": 20, "longest_answer": LONGEST_ANSWER, "entrants": [],
    }  # fmt: skip
