"""Hugging Face community evaluations: ``.eval_results/*.yaml`` files of model repositories.

Each file is a list of ``{dataset: {id, task_id}, value, date?, notes?, verifyToken?}`` (*Evaluation Results* in the
Hub's documentation). Read one file, or a directory that holds model repositories. The metric's name is the dataset's
id, or ``id / task_id`` where a dataset has several tasks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auto_benchmark.errors import ConfigError
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.page import Page
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.table import LEVEL, Table
from auto_benchmark.tables.untyped import parse_untyped

_MODEL = re.compile(r"(?:^|/)((?:[^/]+/)?[^/]+?)(?:/(?:raw|resolve|blob)/[^/]+)?/\.eval_results(?:/|$)")


@dataclass(frozen=True, slots=True)
class _Result:
    model: str
    dataset: str
    task: str
    value: Any
    date: str
    notes: str


def tables(page: Page, spec: Leaderboard) -> list[Table]:
    """One row per model and evaluation setup, one column per task.

    Raises:
        ReadRefused: not such files, or none with results.
    """
    results = [r for source, items in _files(page) for r in _results(source, items)]
    if not results:
        raise ReadRefused(Reason.NO_TABLE, f"{page.seen} holds no evaluation results (.eval_results/*.yaml)")
    tasks: dict[str, set[str]] = {}
    for result in results:
        tasks.setdefault(result.dataset, set()).add(result.task)
    columns = list(dict.fromkeys(_column(r, tasks) for r in results))
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    rejected: list[str] = []
    for result in sorted(results, key=lambda r: r.date, reverse=True):
        row = rows.setdefault((result.model, result.notes), {})
        column = _column(result, tasks)
        if column in row and row[column] != result.value:
            rejected.append(f"{result.model}: older value {result.value} for {column}")
        row.setdefault(column, result.value)
    table = Table(["model", "notes", *columns], [], "the evaluation results", notes=rejected)
    for (model, notes), values in rows.items():
        name = f"{model} ({notes})" if notes else model
        table.rows.append([name, notes, *(values.get(c) for c in columns)])
    return [table]


def _column(result: _Result, tasks: Mapping[str, set[str]]) -> str:
    return result.dataset if len(tasks[result.dataset]) == 1 else f"{result.dataset}{LEVEL}{result.task}"


def _files(page: Page) -> list[tuple[str, Any]]:
    """(path, content) of every file: a directory arrives as one object keyed by path."""
    try:
        data = parse_untyped(page.text)
    except ConfigError as error:
        raise ReadRefused(Reason.MALFORMED, f"{page.source}: {error.faults[0].message}") from None
    if isinstance(data, Mapping) and any("eval_results" in str(key) for key in data):
        return [(str(path), content) for path, content in data.items() if "eval_results" in str(path)]
    if isinstance(data, Mapping) and "evaluation_framework" in data and "tasks" in data:
        text = f"{page.source} declares a benchmark (eval.yaml); its results lie in the model repositories"
        raise ReadRefused(Reason.WRONG_FORMAT, text)
    return [(page.source, data)]


def _results(source: str, items: Any) -> list[_Result]:
    found = _MODEL.search(source)
    model = found.group(1) if found else re.sub(r"\.ya?ml$", "", source.rsplit("/", 1)[-1])
    results = []
    for item in items if isinstance(items, list) else []:
        dataset = item.get("dataset") if isinstance(item, Mapping) else None
        if not isinstance(dataset, Mapping) or "id" not in dataset or "value" not in item:
            continue
        notes, date = item.get("notes") or "", item.get("date") or ""
        task = str(dataset.get("task_id") or "default")
        results.append(_Result(model, str(dataset["id"]), task, item["value"], str(date), str(notes)))
    return results
