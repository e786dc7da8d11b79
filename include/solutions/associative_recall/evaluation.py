"""Answers the benchmark's items with every seed's model."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import model
import torch
from torch import Tensor
from training import Training, exact

TOKENS_AT_ONCE = 2**21
LONGEST_TIMED = 5


def predictions(training: Training, items: Sequence[dict[str, Any]]) -> list[dict[str, list[int]]]:
    """One mapping per seed: item id -> value token of each query."""
    found: list[dict[str, list[int]]] = [{} for _ in training.seeds]
    with torch.no_grad(), exact(training.mode.deterministic):
        weights = training.tensors()
        for group in _batches(items, len(training.seeds)):
            said = _said(training, weights, group).tolist()
            for mine, rows in zip(found, said, strict=True):
                mine.update({item["id"]: row for item, row in zip(group, rows, strict=True)})
    return found


def latency_ms(training: Training, items: Sequence[dict[str, Any]]) -> float:
    """Milliseconds per item of the first seed's model by itself, so that it does not depend on its batch mates.

    The fastest of a few rounds over one batch of the longest items.
    """
    longest = max(len(item["tokens"]) for item in items)
    group = [item for item in items if len(item["tokens"]) == longest][:64]
    fastest = float("inf")
    with torch.no_grad(), exact(training.mode.deterministic):
        weights = {name: weight[:1] for name, weight in training.tensors().items()}
        for _ in range(LONGEST_TIMED):
            started = time.perf_counter()
            _said(training, weights, group).cpu()
            fastest = min(fastest, time.perf_counter() - started)
    return 1000 * fastest / len(group)


def _said(training: Training, weights: dict[str, Tensor], group: Sequence[dict[str, Any]]) -> Tensor:
    """Value tokens ``[seeds, items, queries]``."""
    seeds, device = weights["head"].shape[0], training.mode.device
    tokens = torch.tensor([item["tokens"] for item in group], device=device).expand(seeds, -1, -1)
    queries = torch.tensor([item["queries"] for item in group], device=device).expand(seeds, -1, -1)
    logits = model.answers(weights, training.knobs, tokens, queries)
    return logits.argmax(-1).view(queries.shape) + training.rule.first_value


def _batches(items: Sequence[dict[str, Any]], seeds: int) -> Iterator[list[dict[str, Any]]]:
    """Items of one length and one number of queries, few enough for the memory."""
    alike: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    for item in items:
        alike[len(item["tokens"]), len(item["queries"])].append(item)
    for (length, _), group in alike.items():
        size = max(1, TOKENS_AT_ONCE // (length * seeds))
        for start in range(0, len(group), size):
            yield group[start : start + size]
