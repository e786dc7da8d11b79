"""An agent's attempts on production's code, each measured on the search split and written down."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from auto_benchmark import atomic
from auto_benchmark.agents.agent import Agent, AttemptOutcome, Turn
from auto_benchmark.agents.brief import Brief, BudgetLeft, PastAttempt
from auto_benchmark.agents.chosen import CHOICE, LONGEST_CHOICE, chosen, title_of
from auto_benchmark.agents.recording import record, record_choice
from auto_benchmark.agents.workspace import Files, editable_files, is_editable, read_small, write_files
from auto_benchmark.documents import storable
from auto_benchmark.proposals.limits import ProposalLimits
from auto_benchmark.proposals.search_measure import SearchMeasure
from auto_benchmark.registry.solution import NEVER_EDITED

LONGEST_PATCH = 65_536
"""Characters of a patch that an agent is told again; the recording has it whole."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt that could be scored.

    Attributes:
        files: all files of the solution after it.
        title: in the agent's words.
    """

    number: int
    score: float
    tree: str
    files: Files
    title: str | None


@dataclass(slots=True)
class ProposalRun:
    """One run.

    Attributes:
        agent: who works.
        folder: receives ``brief-<n>.json``, the recording and the workspace.
        base: production's files.
        begins: files that the workspace begins with, as far as they may be edited; production's where it is None.
        editable: of the brief.
        measure: the search split.
        limits: the budget.
        clock: monotonic seconds.
        history: as the agent is told it.
        attempts: by number.
        tokens: and ``money``: what a language model used up.
    """

    agent: Agent
    folder: Path
    base: Files
    editable: tuple[str, ...]
    measure: SearchMeasure
    limits: ProposalLimits
    begins: Files | None = None
    clock: Callable[[], float] = time.monotonic
    history: list[PastAttempt] = field(default_factory=list)
    attempts: dict[int, Attempt] = field(default_factory=dict)
    measures: int = 0
    tokens: int = 0
    money: float = 0.0
    began: float = 0.0

    @property
    def workspace(self) -> Path:
        """Where the agent's files lie between attempts."""
        return self.folder / "workspace"

    @property
    def budget(self) -> BudgetLeft:
        """What is left."""
        limits = self.limits
        money = None if limits.money is None else max(0.0, limits.money - self.money)
        seconds = max(0.0, limits.minutes * 60 - (self.clock() - self.began))
        made = self.history[-1].attempt if self.history else 0
        return BudgetLeft(limits.rounds - made, round(seconds, 1), money, max(0, limits.measures - self.measures))

    def to_the_end(self, brief: Callable[[ProposalRun], Brief]) -> None:
        """Attempt after attempt, until the agent is done or the budget is spent.

        Args:
            brief: makes the brief of the next attempt.
        """
        self.began = self.clock()
        write_files(self.workspace, self._start())
        while self.budget.attempts_left > 0 and self.budget.seconds_left > 0:
            if self._attempt(brief) is AttemptOutcome.DONE:
                break
        if choice := read_small(self.workspace, CHOICE, most=LONGEST_CHOICE):
            record_choice(self.folder, choice)

    def choice(self) -> Attempt | None:
        """The attempt that the agent has chosen, or its last one that could be scored."""
        number = chosen(self.workspace, self.history)
        return None if number is None else self.attempts.get(number)

    def _attempt(self, make: Callable[[ProposalRun], Brief]) -> AttemptOutcome:
        brief = make(self)
        number = brief.attempt
        before = self._edited()
        told = storable(json.dumps(brief.to_json(), ensure_ascii=False, indent=1))
        atomic.write_text(self.folder / f"brief-{number}.json", told)
        turn = self.agent.attempt(self.workspace, brief, self.measure if self.limits.measures else None)
        self.measures += len(turn.measures)
        self.tokens, self.money = self.tokens + turn.tokens, self.money + turn.money
        after = self._edited()
        patch = record(self.folder, number, turn, before, after)[:LONGEST_PATCH]
        if turn.outcome is not AttemptOutcome.DONE:
            self.history.append(self._evaluated(number, turn, after, patch))
        return turn.outcome

    def _evaluated(self, number: int, turn: Turn, after: Files, patch: str) -> PastAttempt:
        if turn.outcome is AttemptOutcome.FAILED:
            return PastAttempt(number, False, None, None, turn.reason, patch)
        files = {**{n: f for n, f in self.base.items() if not self._may_change(n)}, **after}
        tree = self.measure.keep_files(files)
        found = self.measure.score(tree)
        told = found.measured(higher_is_better=self.measure.higher_is_better)
        if found.score is not None:
            self.attempts[number] = Attempt(number, found.score, tree, files, title_of(self.workspace))
        words = "; ".join(filter(None, [turn.reason, told.feedback]))
        return PastAttempt(number, told.valid, told.score, None, words, patch)

    def _start(self) -> Files:
        begins = self.base if self.begins is None else self.begins
        fixed = {name: file for name, file in self.base.items() if not self._may_change(name)}
        return fixed | {name: file for name, file in begins.items() if self._may_change(name)}

    def _may_change(self, name: str) -> bool:
        return is_editable(name, self.editable) and name not in NEVER_EDITED

    def _edited(self) -> Files:
        found = editable_files(self.workspace, self.editable).files
        return {name: file for name, file in found.items() if self._may_change(name)}
