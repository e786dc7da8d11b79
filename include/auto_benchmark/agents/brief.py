"""What an agent is told: its task, what is left of its budget, and what its earlier attempts brought."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from auto_benchmark.agents.workspace import is_editable


@dataclass(frozen=True, slots=True)
class BudgetLeft:
    """What is left.

    Attributes:
        attempts_left: attempts that may still be made, the one that begins counted.
        seconds_left: of the wall clock, over all attempts.
        money_left: in the currency of the rate card; None where nothing bounds it.
        measures_left: calls of the measure command.
    """

    attempts_left: int
    seconds_left: float
    money_left: float | None
    measures_left: int

    def to_json(self) -> dict[str, Any]:
        """The shape of ``budget`` and ``budget_left``."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class PastAttempt:
    """One earlier attempt, as the next one sees it; one that failed counts too, as invalid.

    Attributes:
        attempt: from 1.
        valid: whether it could be scored.
        score: in the brief's metric; None where it is not valid.
        reward: a laboratory's; None for proposers.
        feedback: in words.
        patch: unified diff against the files that the attempt started from.
    """

    attempt: int
    valid: bool
    score: float | None
    reward: float | None
    feedback: str
    patch: str

    def to_json(self) -> dict[str, Any]:
        """One element of ``history``."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Brief:
    """Everything that an agent is told. It never holds labels, gate results or sealed inputs.

    Attributes:
        task: name of the task.
        instruction: what is to be done, in words.
        metric: what is scored.
        higher_is_better: the metric's direction.
        editable: files, folders and patterns (as of a shell) of what may be edited; the rest is ignored.
        budget: what is left.
        history: earlier attempts, oldest first.
        context: more facts, as JSON; text from outside stands here as quoted data.
        given: files that are not the agent's own, which it is not told; None = all that lie there when an attempt begins.
    """

    task: str
    instruction: str
    metric: str
    higher_is_better: bool
    editable: tuple[str, ...]
    budget: BudgetLeft
    history: tuple[PastAttempt, ...]
    context: Mapping[str, Any]
    given: frozenset[str] | None = None

    @property
    def attempt(self) -> int:
        """Number of the attempt that begins, from 1."""
        return max((past.attempt for past in self.history), default=0) + 1

    def keeps(self, name: str) -> bool:
        """Whether a file that was there before stays as it was: given and not editable. What an agent made is its own."""
        return not is_editable(name, self.editable) and (self.given is None or name in self.given)

    def to_json(self) -> dict[str, Any]:
        """The document behind ``AB_BRIEF``."""
        return {
            "task": self.task,
            "instruction": self.instruction,
            "metric": self.metric,
            "higher_is_better": self.higher_is_better,
            "editable": list(self.editable),
            "budget": self.budget.to_json(),
            "history": [attempt.to_json() for attempt in self.history],
            "context": dict(self.context),
        }
