"""The metrics that a benchmark may name as its ``scorer`` without a line of Python: which way they count, and on what."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Answers(StrEnum):
    """What the answers of a benchmark are."""

    LABEL = "label"
    TEXT = "text"
    NUMBER = "number"


class StandardMetric(NamedTuple):
    """Which way a metric counts, and what it is computed from."""

    answers: Answers
    higher_is_better: bool


STANDARD: Mapping[str, StandardMetric] = {
    **dict.fromkeys(
        ("accuracy", "balanced_accuracy", "macro_f1", "micro_f1", "weighted_f1"), StandardMetric(Answers.LABEL, True)
    ),
    **dict.fromkeys(("exact_match", "token_f1"), StandardMetric(Answers.TEXT, True)),
    **dict.fromkeys(
        ("mean_squared_error", "root_mean_squared_error", "mean_absolute_error", "mse", "rmse", "mae"),
        StandardMetric(Answers.NUMBER, False),
    ),
    "r2": StandardMetric(Answers.NUMBER, True),
}


def unknown(name: str) -> str:
    """Why ``name`` is not a standard metric, with the nearest one and all others."""
    near = difflib.get_close_matches(name, STANDARD, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"no standard metric is called {name!r}{hint} (there are {', '.join(STANDARD)})"
