"""Tables of facts that lie beside the sources, read once."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

DATA = Path(__file__).with_name("data")
Row = Mapping[str, Any]


@cache
def table(name: str, field: str) -> tuple[Row, ...]:
    """The rows of ``data/<name>.json``, which stand below ``field``."""
    return tuple(json.loads((DATA / f"{name}.json").read_text("utf-8"))[field])


def apart(
    random: Random, rows: Sequence[Row], value: Callable[[Row], float], n: int, closeness: int, lead: float = 1.1
) -> tuple[Row, ...]:
    """``n`` rows in any order, of which the largest value leads the second.

    Args:
        random: what is drawn from.
        rows: all of them.
        value: of a row.
        n: rows wanted.
        closeness: from 0 to 5; the higher, the smaller the stretch of the ordered rows that they are drawn from.
        lead: least ratio of the largest value to the second.
    """
    ordered = sorted(rows, key=value)
    width = max(4 * n, round(len(ordered) * (1 - closeness / 6)))
    while True:
        start = random.randrange(max(1, len(ordered) - width + 1))
        found = random.sample(ordered[start : start + width], n)
        first, second = sorted(map(value, found), reverse=True)[:2]
        if first > lead * second:
            return tuple(found)


def by_magnitude(value: float, low: float, high: float) -> float:
    """Where a value stands between two by their logarithms, in [0, 1]."""
    place = math.log(max(value, low) / low) / math.log(high / low)
    return round(min(1.0, place), 3)
