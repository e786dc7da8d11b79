"""The budget of one run of an agent."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProposalLimits:
    """What a run may use up.

    Attributes:
        rounds: attempts.
        minutes: of the wall clock, measuring included.
        measures: calls of the measure command, each a trial on the search split.
        money: for a language model, in the currency of the rate card; None where nothing bounds it.
    """

    rounds: int = 3
    minutes: float = 30.0
    measures: int = 6
    money: float | None = None
