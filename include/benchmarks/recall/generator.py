"""Multi-query associative recall (Arora et al. 2023, "Zoology"): key-value pairs, then every key is asked for again.

A sequence starts with :data:`PAIRS` pairs ``key value key value …``. Behind them each key occurs once more at a
random place among blanks; the model must say its value there, so one sequence asks :data:`PAIRS` questions at once.
Half of the sequences have the training length, half are :data:`STRETCH` times as long with the same number of pairs.

Only ``random.Random.random`` is drawn from: the same seed gives the same bytes on every platform.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

BLANK = 0
KEYS = 255
VALUES = 256
PAIRS = 32
LENGTH = 256
STRETCH = 4

RULE = {
    "context": "rule", "blank": BLANK, "first_key": 1, "keys": KEYS, "first_value": 1 + KEYS, "values": VALUES,
    "pairs": PAIRS, "length": LENGTH,
}  # fmt: skip
"""What a trial needs to make training sequences of the same kind for itself."""


class Data(NamedTuple):
    """What ``generate`` returns; every row is plain JSON.

    Attributes:
        contexts: one row, :data:`RULE`.
        items: sequences, ``{"id", "context", "tokens", "queries"}``; ``queries`` are the positions asked about.
        answers: item id -> ``{"answer", "length"}``; ``answer`` holds the value token of each query in order.
    """

    contexts: list[dict[str, Any]]
    items: list[dict[str, Any]]
    answers: dict[str, dict[str, Any]]


def drawn(dice: random.Random, population: int, count: int) -> list[int]:
    """``count`` different numbers below ``population`` in random order (Fisher-Yates, stopped early)."""
    pool = list(range(population))
    for i in range(count):
        j = i + int(dice.random() * (population - i))
        pool[i], pool[j] = pool[j], pool[i]
    return pool[:count]


def sequence(dice: random.Random, length: int) -> tuple[list[int], list[int], list[int]]:
    """One sequence: its tokens, the queried positions in rising order, and their values."""
    keys = [1 + key for key in drawn(dice, KEYS, PAIRS)]
    values = [1 + KEYS + int(dice.random() * VALUES) for _ in keys]
    tokens = [BLANK] * length
    tokens[0 : 2 * PAIRS : 2] = keys
    tokens[1 : 2 * PAIRS : 2] = values
    places = [2 * PAIRS + place for place in drawn(dice, length - 2 * PAIRS, PAIRS)]
    for place, key in zip(places, keys, strict=True):
        tokens[place] = key
    asked = sorted(zip(places, values, strict=True))
    return tokens, [place for place, _ in asked], [value for _, value in asked]


def generate(seed: int, worlds: int) -> Data:
    """Make ``worlds`` sequences of the training length and as many long ones, alternating.

    Args:
        seed: fixes every byte of the result.
        worlds: pairs of a short and a long sequence.
    """
    items, answers = [], {}
    for number in range(2 * worlds):
        length = LENGTH * (STRETCH if number % 2 else 1)
        tokens, queries, values = sequence(random.Random(f"{seed}/{number}"), length)  # noqa: S311
        item = f"s{number:05d}"
        items.append({"id": item, "context": RULE["context"], "tokens": tokens, "queries": queries})
        answers[item] = {"answer": values, "length": length}
    return Data([dict(RULE)], items, answers)
