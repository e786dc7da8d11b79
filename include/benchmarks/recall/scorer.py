"""Grades recall: the share of a sequence's queries that were answered with the right value, mean over sequences."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Any

from auto_benchmark.contract.scoring import Scores

TRAINING_LENGTH = 256


def score(predictions: Mapping[str, Any], answers: Mapping[str, Any]) -> Scores:
    """Grade ``predictions``.

    Args:
        predictions: item id -> list of value tokens, one per query; a missing or misshapen list is wrong throughout.
        answers: item id -> ``{"answer", "length"}``.

    Returns:
        ``recall`` over sequences of the training length and ``recall_long`` over the long ones, with per-item shares.
        An item is a whole sequence, because answers within one sequence are not independent.
    """
    items: dict[str, dict[str, float]] = {"recall": {}, "recall_long": {}}
    for item, truth in answers.items():
        metric = "recall" if truth["length"] <= TRAINING_LENGTH else "recall_long"
        items[metric][item] = _share(predictions.get(item), truth["answer"])
    held = {metric: values for metric, values in items.items() if values}
    return Scores(metrics={metric: fmean(values.values()) for metric, values in held.items()}, items=held)


def _share(predicted: object, expected: list[int]) -> float:
    if not isinstance(predicted, list) or len(predicted) != len(expected):
        return 0.0
    right = sum(
        type(said) is int and said == true for said, true in zip(predicted, expected, strict=True)
    )  # a bool or a float is no token
    return right / len(expected)
