"""Half-widths from the ways in which people write intervals."""

from __future__ import annotations

import re
from typing import Any

_NUMBER = re.compile(r"[+\-−–]?\s?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def half_width(cell: Any, score: float | None) -> float | None:
    """Half the width of an interval cell.

    ``(80.7, 84.6)`` around a score of 82.6 are bounds; ``(-1.9, +2.0)``, ``+1.9/-2.0`` and ``± 1.9`` are offsets.

    Args:
        cell: text, number or pair.
        score: the score that the interval belongs to.

    Returns:
        Half the width (of offsets: the wider side), or None when the cell holds no interval.
    """
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, int | float):
        return abs(float(cell))
    numbers = [float(n.replace(" ", "").replace("−", "-").replace("–", "-")) for n in _NUMBER.findall(str(cell))]
    if len(numbers) == 1:
        return abs(numbers[0])
    if len(numbers) != 2:
        return None
    low, high = sorted(numbers)
    if score is not None and low <= score <= high and not low < 0 < high:
        return (high - low) / 2
    return max(abs(low), abs(high))
