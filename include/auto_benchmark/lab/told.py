"""What attempts are told, by the arm: the truth, or another run's."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from auto_benchmark.agents.brief import PastAttempt
from auto_benchmark.agents.measure import Measured
from auto_benchmark.lab.run_folder import TRAJECTORY, RunFolder

SHOCK = "the verifier's verdict: not valid"


@dataclass(frozen=True, slots=True)
class Donor:
    """Another run's feedback, shuffled: a deterministic agent's other run is the same run, and would tell it the truth.

    Attributes:
        verdicts: of its attempts.
        measured: answers to its calls of the measure command.
    """

    verdicts: tuple[PastAttempt, ...]
    measured: tuple[Measured, ...]

    @classmethod
    def of(cls, folder: RunFolder, seed: int) -> Donor:
        """The feedback of a finished run, in an order that ``seed`` draws."""
        rng = random.Random(f"{seed} sham")  # noqa: S311 - not a secret
        verdicts = [
            PastAttempt(a.attempt, a.valid, a.score, a.reward if a.valid else 0.0, a.reason, "")
            for a in folder.attempts()
        ]
        measured = list(_measured(folder.path / TRAJECTORY))
        rng.shuffle(verdicts)
        rng.shuffle(measured)
        return cls(tuple(verdicts), tuple(measured))

    def instead_of(self, past: PastAttempt) -> PastAttempt:
        """What is told about an attempt."""
        if not self.verdicts:
            return replace(past, valid=False, score=None, reward=0.0, feedback="")
        other = self.verdicts[(past.attempt - 1) % len(self.verdicts)]
        return replace(past, valid=other.valid, score=other.score, reward=other.reward, feedback=other.feedback)

    def answer(self, call: int) -> Measured:
        """What is told about a measurement; ``call`` counts from 0."""
        if not self.measured:
            return Measured(False, None, "could not be measured")
        return self.measured[call % len(self.measured)]


def shocked(past: PastAttempt) -> PastAttempt:
    """The same attempt with a verdict that it does not deserve."""
    return replace(past, valid=False, score=None, reward=0.0, feedback=SHOCK)


def _measured(trajectory: Path) -> Iterable[Measured]:
    for file in sorted(trajectory.glob("*.json")):
        for call in json.loads(file.read_text(encoding="utf-8"))["measures"]:
            yield Measured(**call["measured"])
