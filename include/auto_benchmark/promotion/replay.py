"""Stored decisions decide again: to the same verdict and numbers, and within one version to the same bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from auto_benchmark.documents import Strict
from auto_benchmark.errors import InputError
from auto_benchmark.promotion.decision import Decision, Evidence
from auto_benchmark.promotion.gate import ALPHA, decide
from auto_benchmark.promotion.guarding import GateGuard
from auto_benchmark.promotion.offset import Offset
from auto_benchmark.promotion.other_board import OtherBoard
from auto_benchmark.registry.guard import Guard


class Case(Strict):
    """Everything that a call of the gate depends on; what is stored beside a decision."""

    evidence: Evidence
    guards: list[GateGuard] = []
    other_boards: list[OtherBoard] = []
    offset: Offset | None = None
    alpha: float = ALPHA

    def decide(self) -> Decision:
        """Call the gate."""
        return decide(
            self.evidence,
            guards=self.guards,
            other_boards=self.other_boards,
            offset=self.offset,
            alpha=self.alpha,
        )


def freeze(
    evidence: Evidence,
    *,
    guards: Sequence[Guard] = (),
    other_boards: Sequence[OtherBoard] = (),
    offset: Offset | None = None,
    alpha: float = ALPHA,
) -> str:
    """The arguments of :func:`auto_benchmark.promotion.gate.decide` as JSON, to be stored with the decision."""
    kept = [GateGuard.model_validate(guard.model_dump()) for guard in guards]
    case = Case(evidence=evidence, guards=kept, other_boards=list(other_boards), offset=offset, alpha=alpha)
    return case.model_dump_json()


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
        stored: output of :func:`freeze`, or the JSON of an :class:`Evidence` that was decided with defaults.
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


def thaw(stored: str) -> Case:
    """Inverse of :func:`freeze`. Raises InputError."""
    try:
        return Case.model_validate_json(stored)
    except ValidationError as first:
        try:
            return Case(evidence=Evidence.model_validate_json(stored))
        except ValidationError:
            message = first.errors(include_url=False)[0]
            place = ".".join(map(str, message["loc"]))
            raise InputError(f"stored evidence cannot be read: {place}: {message['msg']}") from None
