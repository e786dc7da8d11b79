"""What a run of an agent on a task was started with; a folder of results belongs to exactly one plan."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from auto_benchmark.errors import InputError

MEASURES_EACH = 8
"""Calls of the measure command for each attempt, unless somebody says otherwise."""


class Feedback(StrEnum):
    """The arm: what attempts are shown of the ones before."""

    TRUE = "true"
    """The sealed verifier's verdicts, and measurements of what is measured."""
    NONE = "none"
    """Nothing: each attempt starts from the given files, without history. The best of independent attempts."""
    SHAM = "sham"
    """Another run's verdicts and measurements, in an order drawn anew."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Arguments of one run.

    Attributes:
        task: name of the task.
        agent: as a person wrote it.
        attempts: at most.
        minutes: of the wall clock, over all attempts; what a killed try of an attempt took is not counted.
        measures: calls of the measure command, over all attempts.
        seeds: fresh sealed verifications of the chosen attempt.
        feedback: the arm.
        shock: number of the attempt whose verdict is given as invalid, whatever it is; None without a shock.
        money: for a language model, in the currency of its price; None = not bounded.
    """

    task: str
    agent: str
    attempts: int = 10
    minutes: float = 60.0
    measures: int = 10 * MEASURES_EACH
    seeds: int = 3
    feedback: Feedback = Feedback.TRUE
    shock: int | None = None
    money: float | None = None

    def __post_init__(self) -> None:
        """Raises InputError for arguments that contradict each other."""
        if self.shock is not None and self.shock > self.attempts:
            raise InputError(f"shock: {self.shock}, but there are {self.attempts} attempts at most")

    def to_json(self) -> dict[str, Any]:
        """As it is written down."""
        return {**asdict(self), "feedback": str(self.feedback)}
