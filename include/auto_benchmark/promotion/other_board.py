"""Another leaderboard of the project on which a candidate may not fall back."""

from __future__ import annotations

from pydantic import Field

from auto_benchmark.documents import Strict
from auto_benchmark.registry.names import Name, Number, Positive


class OtherBoard(Strict):
    """Local scores for a board other than the one that is decided.

    Attributes:
        margin: tolerated loss, absolute, in the board's metric; usually its promotion threshold.
        candidate: one score per trial.
        control: one score per trial.
    """

    name: Name
    higher_is_better: bool
    margin: Positive
    candidate: list[Number] = Field(min_length=1)
    control: list[Number] = Field(min_length=1)
