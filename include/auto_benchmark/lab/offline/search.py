"""What the offline agents share: propose a change, measure it, keep what is better, hand in the best."""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from auto_benchmark.agents.agent import AttemptOutcome, Turn
from auto_benchmark.agents.brief import Brief
from auto_benchmark.agents.measure import Measure, Measured
from auto_benchmark.agents.meter import Meter
from auto_benchmark.agents.workspace import Files, all_files, is_editable, with_notes, write_files
from auto_benchmark.lab.offline.programs import NOTES, Program, Programs, Texts, digest, files_of, texts_of

MOST_REJECTED = 40
"""Proposals in a row that were tried before or cannot compile, until an attempt ends."""


@dataclass(frozen=True, slots=True)
class ChangedProgram:
    """A changed program and how it came about."""

    texts: Texts
    how: str


class OfflineAgent(ABC):
    """Searches near the best program that it knows. All that it knows stands in the workspace and the brief.

    Args:
        name: as a person wrote it.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def propose(self, programs: Programs, rng: random.Random) -> ChangedProgram | None:
        """A change of what is known; None where nothing is left to try."""

    def learn(self, programs: Programs, proposal: ChangedProgram, loss: float | None, before: float | None) -> None:
        """Take in what became of a proposal.

        Args:
            programs: what is known, the proposal among it.
            proposal: what was measured.
            loss: its score, smaller is better; None where it was not valid.
            before: the best one's loss.
        """
        if loss is None:
            programs.worked(proposal.how, well=False)
        elif before is not None and loss < before:
            programs.worked(proposal.how, well=True)

    def attempt(self, workspace: Path, brief: Brief, measure: Measure | None) -> Turn:
        """See :class:`~auto_benchmark.agents.agent.Agent`; hands in the best program that is not refuted."""
        whole = with_notes(workspace)
        meter = Meter(measure, brief, all_files(workspace).files)
        editable = {name: file for name, file in whole.items() if is_editable(name, brief.editable)}
        sign = -1.0 if brief.higher_is_better else 1.0
        programs = Programs.read(whole)
        programs.take(brief.history, sign)
        rng = random.Random(f"{brief.context.get('seed', brief.attempt)}")  # noqa: S311 - not a secret
        tried = self._search(programs, _Bench(meter, editable, sign), brief, rng)
        if not programs.kept:
            return Turn(AttemptOutcome.FAILED, "no valid program is known", tuple(meter.calls), seconds=meter.seconds)
        best = programs.best
        programs.submitted[str(brief.attempt)] = best.digest
        write_files(workspace, {**whole, **files_of(best.texts, editable), NOTES: programs.file()})
        return Turn(
            AttemptOutcome.EVALUATE, "", tuple(meter.calls), seconds=meter.seconds, log=f"tried {tried} programs"
        )

    def _search(self, programs: Programs, bench: _Bench, brief: Brief, rng: random.Random) -> int:
        given = texts_of(bench.editable)
        can_measure = bench.meter.can_measure
        share = math.ceil(brief.budget.measures_left / max(1, brief.budget.attempts_left))
        if not programs.kept:
            self._begin(programs, bench, given)
        rejected = 0
        while (
            programs.kept and len(bench.meter.calls) < share and bench.meter.can_measure and rejected < MOST_REJECTED
        ):
            proposal = self.propose(programs, rng)
            if proposal is None or digest(proposal.texts) in programs.tried:
                rejected += 1
                continue
            before = programs.best.loss
            measured = bench.measure(proposal.texts)
            if measured is None:
                break
            loss = bench.loss(measured)
            programs.add(proposal.texts, loss, is_valid=loss is not None)
            self.learn(programs, proposal, loss, before)
            rejected = 0
        if not can_measure and programs.kept and (proposal := self.propose(programs, rng)) is not None:
            programs.kept.insert(0, _guess(proposal.texts))  # the next verdict says what it is worth
        return len(bench.meter.calls)

    def _begin(self, programs: Programs, bench: _Bench, given: Texts) -> None:
        measured = bench.measure(given)
        loss = None if measured is None else bench.loss(measured)
        programs.add(given, loss, is_valid=True)


@dataclass(frozen=True, slots=True)
class _Bench:
    meter: Meter
    editable: Files
    sign: float

    def measure(self, texts: Texts) -> Measured | None:
        return self.meter.measure(lambda: files_of(texts, self.editable))

    def loss(self, measured: Measured) -> float | None:
        return self.sign * measured.score if measured.valid and measured.score is not None else None


def _guess(texts: Texts) -> Program:
    return Program(dict(texts), None)
