"""What one call of the promotion gate depends on: stored beside its decision, read back to decide again."""

from __future__ import annotations

from pydantic import ValidationError

from auto_benchmark.documents import Strict
from auto_benchmark.errors import InputError
from auto_benchmark.promotion.decision import Decision, Evidence
from auto_benchmark.promotion.gate import ALPHA, decide
from auto_benchmark.promotion.guarding import GateGuard
from auto_benchmark.promotion.offset import Offset
from auto_benchmark.promotion.other_board import OtherBoard


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


def thaw(stored: str) -> Case:
    """The case that was stored beside a decision; of an earlier version, evidence alone. Raises InputError."""
    try:
        return Case.model_validate_json(stored)
    except ValidationError as first:
        try:
            return Case(evidence=Evidence.model_validate_json(stored))
        except ValidationError:
            message = first.errors(include_url=False)[0]
            place = ".".join(map(str, message["loc"]))
            raise InputError(f"stored evidence cannot be read: {place}: {message['msg']}") from None
