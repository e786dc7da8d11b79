"""One protocol for whatever edits files: a program, recorded patches, a language model, a search."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from auto_benchmark.agents.brief import Brief
from auto_benchmark.agents.measure import Measure, MeasureCall

LONGEST_LOG, LONGEST_REASON = 16_384, 4_000
"""Characters of a turn's log and reason."""


class AttemptOutcome(StrEnum):
    """How an attempt ended."""

    EVALUATE = "evaluate"
    """Exit 0: evaluate these files."""
    DONE = "done"
    """Exit 3: no further attempt."""
    FAILED = "failed"
    """Anything else: this attempt failed, the next may follow."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One attempt of an agent.

    Attributes:
        outcome: how it ended.
        reason: for people; what was refused, or why it failed.
        measures: its calls of the measure command, in order.
        tokens: of a language model, as the endpoint counts them.
        money: what it cost, in the currency of the rate card.
        seconds: from start to end.
        log: the end of what it printed, or what a language model said.
    """

    outcome: AttemptOutcome
    reason: str = ""
    measures: tuple[MeasureCall, ...] = ()
    tokens: int = 0
    money: float = 0.0
    seconds: float = 0.0
    log: str = ""


class Agent(Protocol):
    """Edits files for a number. It has no memory but its workspace and the brief's history."""

    @property
    def name(self) -> str:
        """As a person wrote it: ``command:PATH``."""
        ...

    def attempt(self, workspace: Path, brief: Brief, measure: Measure | None) -> Turn:
        """Edit the editable files of ``workspace`` in place.

        After the call the workspace holds regular files and folders alone, and of those that were there before only
        editable ones have changed. Files that an agent has added outside of ``editable`` may remain for its next
        attempt, as does what it wrote to ``.ab/``; they are not to be evaluated
        (:func:`~auto_benchmark.agents.workspace.editable_files` gives what is).

        Args:
            workspace: the files that the attempt before left; ``.ab/`` in it belongs to the protocol.
            brief: what the agent is told.
            measure: answers the measure command; None where there is none.
        """
        ...
