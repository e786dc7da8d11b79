"""The scorer protocol: predictions and sealed answers in, metrics and per-item results out.

The trial never grades itself. A scorer is a module beside ``benchmark.yaml`` with one pure function::

    def score(predictions: Mapping[str, str], answers: Mapping[str, Any]) -> Scores

It is called with exactly the ids of the split; an id without a prediction scores as wrong, an id that is not in the
split is refused before the scorer sees it.

Where the code itself is what counts, the module has a second function, and trials are graded by it alone::

    def score_tree(tree: Path, answers: Mapping[str, Any], seed: int) -> Scores

``tree`` is a copy of the files that the trial ran, ``seed`` the trial's: whatever the grading draws is drawn from an item's
answer and the seed together, so that the gate sees how much chance there is in it. What it raises fails the trial. An
arena, which sees predictions only, asks ``score``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from pydantic import Field

from auto_benchmark.documents import Strict
from auto_benchmark.registry.names import Number


class Scores(Strict):
    """Result of scoring one trial.

    Attributes:
        metrics: metric name -> value over the whole split.
        items: metric name -> item id -> value; their mean is the metric where the metric is a mean over items.
        slices: slice name -> metric name -> value.
    """

    metrics: dict[str, Number] = Field(min_length=1)
    items: dict[str, dict[str, Number]] = {}
    slices: dict[str, dict[str, Number]] = {}


class Scorer(Protocol):
    """What a benchmark's scorer module provides."""

    def score(self, predictions: Mapping[str, Any], answers: Mapping[str, Any]) -> Scores:
        """Grade ``predictions``; answers absent from them are wrong answers."""
        ...


class TreeScorer(Protocol):
    """What the module of a benchmark provides whose solutions are graded by their code."""

    def score_tree(self, tree: Path, answers: Mapping[str, Any], seed: int) -> Scores:
        """Grade the files that a trial ran; raises where they are not fit to be graded."""
        ...
