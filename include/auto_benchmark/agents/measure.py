"""Measuring a folder of candidate files, as often as an agent asks and its budget allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from auto_benchmark.agents.brief import BudgetLeft


@dataclass(frozen=True, slots=True)
class Measured:
    """What a measurement says.

    Attributes:
        valid: whether the files could be scored.
        score: in the brief's metric; None where they could not.
        feedback: in words; what is wrong, or where the score comes from.
    """

    valid: bool
    score: float | None
    feedback: str


Measure = Callable[[Path], Measured]
"""Measures a folder of candidate files on public inputs. The folder is a copy with no other writer."""


@dataclass(frozen=True, slots=True)
class MeasureCall:
    """One call of the measure command: part of the trajectory.

    Attributes:
        seconds: from the start of the attempt to the answer.
        measured: the answer.
        patch: unified diff of the measured files against those that the attempt started from.
        budget_left: after the call.
    """

    seconds: float
    measured: Measured
    patch: str
    budget_left: BudgetLeft
