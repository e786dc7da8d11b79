"""Grades answers: exact match over all items, token F1 over those whose evidence lies far back."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from auto_benchmark.contract.scoring import Scores

LONG_CONTEXT = "long_context"


def normalised(answer: object) -> list[str]:
    """Lower-case word tokens without articles and punctuation."""
    return [word for word in re.findall(r"\w+", str(answer).lower()) if word not in {"a", "an", "the"}]


def token_f1(predicted: list[str], expected: list[str]) -> float:
    """Harmonic mean of token precision and recall (multiset overlap)."""
    overlap = sum((Counter(predicted) & Counter(expected)).values())
    return 2 * overlap / (len(predicted) + len(expected)) if overlap else 0.0


def score(predictions: Mapping[str, Any], answers: Mapping[str, Any]) -> Scores:
    """Grade ``predictions``.

    Args:
        predictions: item id -> answer; missing ones are wrong.
        answers: item id -> ``{"answer", "slices"}``.

    Returns:
        ``accuracy`` over all items, ``f1`` over the ``long_context`` items, both per item and per slice.
    """
    accuracy: dict[str, float] = {}
    f1: dict[str, float] = {}
    slices: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for item, truth in answers.items():
        predicted, expected = normalised(predictions.get(item, "")), normalised(truth["answer"])
        accuracy[item] = float(predicted == expected)
        if LONG_CONTEXT in truth["slices"]:
            f1[item] = token_f1(predicted, expected)
        for name in truth["slices"]:
            slices[name]["accuracy"].append(accuracy[item])
            if item in f1:
                slices[name]["f1"].append(f1[item])
    items = {"accuracy": accuracy} | ({"f1": f1} if f1 else {})
    return Scores(
        metrics={name: fmean(values.values()) for name, values in items.items()},
        items=items,
        slices={s: {m: fmean(v) for m, v in by.items()} for s, by in sorted(slices.items())},
    )
