"""The panel answers the finished benchmark; what it gets right on ``gate`` is what stands on the board."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from auto_benchmark.artifacts.benchmark_data import BenchmarkData
from auto_benchmark.construction.answering import AnswerSheet, merged, put, put_views
from auto_benchmark.construction.build import Built
from auto_benchmark.construction.candidate import Learning
from auto_benchmark.construction.folder import BENCHMARK, slice_of, write_benchmark
from auto_benchmark.construction.item import Item
from auto_benchmark.construction.panel import Panel
from auto_benchmark.construction.progress import Progress
from auto_benchmark.construction.request import ConstructionRequest
from auto_benchmark.construction.stages import Stages

Rows = list[dict[str, Any]]
ANSWERED = ("search", "gate")
TOGETHER = "together"
"""Name of the stage in which whole splits are answered; no subtask is called so."""


def entries(
    stages: Stages, request: ConstructionRequest, panel: Panel, built: Built, progress: Progress
) -> AnswerSheet:
    """The panel's answers to ``search`` and ``gate``; ``train`` is what it learns from.

    Each subtask, and whatever is answered at once, is a stage of its own, which rests on who answers what.
    """
    sheets = []
    for name, rests_on, make in _parts(request, panel, built):
        sheets.append(AnswerSheet.of(stages.rows(f"answers_{name}", rests_on, make)))
        progress.count(sheets[-1].calls, fresh=True)
        progress.tell(f"answers: {name}")
    return merged(sheets)


def _parts(request: ConstructionRequest, panel: Panel, built: Built) -> Iterator[tuple[str, Any, Callable[[], Rows]]]:
    """Name of each part, what it rests on, and what makes its rows."""
    apart, together = panel.learning(Learning.APART), panel.learning(Learning.TOGETHER)
    for name in sorted({slice_of(item) for item in built.items}) if apart.candidates else ():
        parts = {split: [i for i in items if slice_of(i) == name] for split, items in built.splits.items()}
        items = [item for split in ANSWERED for item in parts[split]]
        rests_on = [[item.id for item in items], [item.id for item in parts["train"]], apart.versions]
        yield name, rests_on, partial(_apart, apart, items, parts["train"])
    if together.candidates:
        ids = {split: [item.id for item in items] for split, items in built.splits.items()}
        yield TOGETHER, [ids, together.versions], partial(_together, together, request, built)


def _apart(panel: Panel, items: Sequence[Item], examples: Sequence[Item]) -> Rows:
    return put(panel.candidates, items, examples, panel.patience).rows()


def _together(panel: Panel, request: ConstructionRequest, built: Built) -> Rows:
    """Answers to the views of trials on the benchmark as it will be published, made by what makes those of a trial."""
    with tempfile.TemporaryDirectory(prefix="construction-") as place:
        write_benchmark(Path(place), request, built, version="1")
        data = BenchmarkData(Path(place) / BENCHMARK, Path(place))
        items = [item for split in ANSWERED for item in built.splits[split]]
        return put_views(panel.candidates, items, [data.view(split) for split in ANSWERED], panel.patience).rows()
