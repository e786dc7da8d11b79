"""Stored decisions decide again: to the same verdict and numbers, and within one version to the same bytes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from auto_benchmark.errors import InputError
from auto_benchmark.promotion.gate import thaw
from auto_benchmark.promotion.schema import Decision


def decision_json(decision: Decision) -> str:
    """The stored form of a decision: field order fixed, shortest digits that round-trip, no NaN."""
    return decision.model_dump_json()


@dataclass(frozen=True, slots=True)
class Difference:
    """One value of a decision that was stored otherwise; ``place`` as in ``significance.value``."""

    place: str
    stored: Any
    now: Any

    @property
    def is_wording(self) -> bool:
        """Whether it is a reason: words for people, which a later version may choose better."""
        return self.place.rpartition(".")[2] == "reason"

    def __str__(self) -> str:
        """As a person reads it."""
        stored, now = (json.dumps(value, ensure_ascii=False) for value in (self.stored, self.now))
        return f"{self.place}: stored {stored}, now {now}"


def replay(stored: str, decision: str) -> list[Difference]:
    """Decide again with the arguments that were stored; where the result is not the one that was stored.

    Args:
        stored: the JSON of a :class:`Case`, or the JSON of an :class:`Evidence` that was decided with defaults.
        decision: output of :func:`decision_json`.

    Raises:
        InputError: either is something else.
    """
    before, now = _values(decision), _values(decision_json(thaw(stored).decide()))
    return [
        Difference(place, before.get(place), now.get(place))
        for place in {**now, **before}
        if place not in before or place not in now or before[place] != now[place]
    ]


def _values(decision: str) -> dict[str, Any]:
    """Place -> value, one for each fact of a decision. Raises InputError."""
    try:
        found = dict(json.loads(decision))
        criteria = {row["name"]: row for row in found.pop("criteria")}
        return found | {f"{name}.{key}": value for name, row in criteria.items() for key, value in row.items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"stored decision cannot be read: {error!r}") from None
