"""One run of an agent on a task: attempt after attempt in one workspace, each verified on sealed inputs of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from auto_benchmark.agents.agent import Agent, AttemptOutcome
from auto_benchmark.agents.brief import Brief, BudgetLeft, PastAttempt
from auto_benchmark.agents.measure import Measured
from auto_benchmark.agents.workspace import Files, all_files, editable_files, with_notes, write_files
from auto_benchmark.errors import RefusedError
from auto_benchmark.lab.judge import Judge, Sealed
from auto_benchmark.lab.outcome import document
from auto_benchmark.lab.plan import Feedback, Plan
from auto_benchmark.lab.public_measure import PublicMeasure
from auto_benchmark.lab.run_folder import RESULT, AgentEnd, Finished, RunFolder
from auto_benchmark.lab.task import GIVEN_TO_NONE, Task
from auto_benchmark.lab.told import Donor, shocked
from auto_benchmark.scratch import scratch_folder

DONOR = "donor"
"""Folder of the run whose feedback a sham run is given."""
Say = Callable[[str], None]
Note = Callable[[Finished], None]


def run(
    task: Task, agent: Agent, plan: Plan, out: Path, *, judge: Judge | None = None, say: Say = lambda _: None,
    note: Note = lambda _: None,
) -> dict[str, Any]:  # fmt: skip
    """Run an agent, or go on with a run that was stopped anywhere.

    Args:
        task: the task.
        agent: the agent that the plan names.
        plan: the arguments.
        out: folder of the run.
        judge: verifies attempts; the task's own sealed verifier by default.
        say: reports progress.
        note: is given every finished attempt, those that a run which goes on finds finished too.

    Returns:
        What ``lab run --json`` prints.

    Raises:
        RefusedError: the folder belongs to a run with other arguments, or this machine cannot verify the task.
    """
    judge = judge or Sealed(task)
    if reason := judge.refusal():
        raise RefusedError(f"{task.name}: {reason}")
    folder = RunFolder(out)
    with folder.locked():
        seed = folder.belongs_to({**plan.to_json(), "files": judge.digest()})
        for row in folder.attempts():
            note(row)
        if (known := folder.result()) is not None:
            say(f"{task.name}: the run in {folder.path} is over; this is its result")
            return known
        donor = None
        if plan.feedback is Feedback.SHAM:
            say(f"{task.name}: first the run whose feedback the sham run is given")
            truth = Plan(**{**plan.to_json(), "feedback": Feedback.TRUE, "shock": None})
            run(task, agent, truth, folder.path / DONOR, judge=judge, say=say)
            donor = RunFolder(folder.path / DONOR)
        told_instead = None if donor is None else Donor.of(donor, seed)
        _Run(task, agent, plan, folder, seed, told_instead, judge, say, note).to_the_end()
        result = document(task, plan, folder, seed, donor, judge.verify)
        folder.write(RESULT, result)
        return result


@dataclass(slots=True)
class _Run:
    task: Task
    agent: Agent
    plan: Plan
    folder: RunFolder
    seed: int
    donor: Donor | None
    judge: Judge
    say: Say
    note: Note
    finished: list[Finished] = field(default_factory=list)
    began: float = 0.0
    done_before: int = 0

    def to_the_end(self) -> None:
        """Attempt after attempt, until the agent is done or the budget is spent."""
        self.finished = self.folder.attempts()
        self.began, self.done_before = time.monotonic(), len(self.finished)
        if self.finished:
            self.say(f"{self.task.name}: goes on after attempt {len(self.finished)}")
        while self._is_affordable():
            if self._attempt() is AttemptOutcome.DONE:
                self.say(f"{self.task.name}: {self.plan.agent} is done")
                break

    def _is_affordable(self) -> bool:
        left = self._budget()
        return left.attempts_left > 0 and left.seconds_left > 0 and left.money_left != 0

    def _attempt(self) -> AttemptOutcome:
        number = len(self.finished) + 1
        ended = self.folder.ended(number) or self._agent_works(number)
        if ended.outcome is AttemptOutcome.DONE:
            return ended.outcome
        begun = time.monotonic()
        valid, score, reward, reason, seed = False, None, 0.0, ended.reason, None
        if ended.outcome is AttemptOutcome.EVALUATE:
            verdict = self.judge.verify(self.folder.state(number))
            valid, score, reward, seed = verdict.valid, verdict.score, verdict.reward, verdict.seed
            reason = "; ".join(filter(None, [ended.reason, verdict.reason]))
        seconds = round(ended.seconds + time.monotonic() - begun, 3)
        row = Finished(
            number, seconds, valid, score, reward, reason, seed, ended.measures, ended.tokens, ended.money
        )  # fmt: skip
        self.folder.keep(row)
        self.finished.append(row)
        self.note(row)
        self._tell(row)
        return ended.outcome

    def _agent_works(self, number: int) -> AgentEnd:
        """The agent's part of an attempt, in a workspace made anew from what the attempt before left."""
        with scratch_folder("lab-run") as scratch:
            workspace = scratch / "workspace"
            write_files(workspace, self._start(number))
            before = self._editable(workspace)
            began = time.monotonic()
            turn = self.agent.attempt(workspace, self._brief(number), self._measure(number))
            if not turn.seconds:
                turn = replace(turn, seconds=time.monotonic() - began)
            self.folder.record(number, turn, before, self._editable(workspace), workspace)
        return self.folder.must_have_ended(number)

    def _start(self, number: int) -> Files:
        if number == 1 or self.plan.feedback is Feedback.NONE:
            return self._given()
        return with_notes(self.folder.state(number - 1))

    def _given(self) -> Files:
        found = all_files(self.task.environment).files
        return {name: file for name, file in found.items() if name != GIVEN_TO_NONE}

    def _editable(self, workspace: Path) -> Files:
        return editable_files(workspace, self.task.anchors.editable).files

    def _measure(self, number: int) -> PublicMeasure:
        """Where the budget holds no calls the command is there too, and says so."""
        donor, before = self.donor, sum(row.measures for row in self.finished)

        def log(found: Measured, told: Measured) -> None:
            row = {"attempt": number, "valid": found.valid, "score": found.score, "feedback": found.feedback}
            self.folder.told_measure({**row, "told": None if donor is None else told.score})

        answer = None if donor is None else lambda call: donor.answer(before + call)
        return PublicMeasure(self.task, answer, log)

    def _brief(self, number: int) -> Brief:
        anchors = self.task.anchors
        context: Mapping[str, Any] = {
            "baseline": anchors.baseline, "language": anchors.language, "unit": anchors.unit, "axis": str(anchors.axis),
            "seed": int.from_bytes(sha256(f"{self.seed} {number}".encode()).digest()[:6]),
        }  # fmt: skip
        return Brief(
            self.task.name, self.task.instruction, anchors.metric, anchors.direction == "maximize",
            tuple(anchors.editable), self._budget(), self._history(), context, frozenset(self._given()),
        )  # fmt: skip

    def _history(self) -> tuple[PastAttempt, ...]:
        if self.plan.feedback is Feedback.NONE:
            return ()
        past = truth(self.folder, self.finished)
        if self.donor is not None:
            past = [self.donor.instead_of(each) for each in past]
        return tuple(shocked(each) if each.attempt == self.plan.shock else each for each in past)

    def _budget(self) -> BudgetLeft:
        plan, rows = self.plan, self.finished
        money = None if plan.money is None else max(0.0, plan.money - sum(row.money for row in rows))
        seconds = max(0.0, plan.minutes * 60 - sum(row.seconds for row in rows))
        measures = max(0, plan.measures - sum(row.measures for row in rows))
        return BudgetLeft(plan.attempts - len(rows), round(seconds, 1), money, measures)

    def _tell(self, row: Finished) -> None:
        each = (time.monotonic() - self.began) / max(1, len(self.finished) - self.done_before)
        left = min(each * (self.plan.attempts - row.attempt), self._budget().seconds_left)
        what = f"{row.score:.6g}, reward {row.reward:.3f}" if row.valid else f"not valid: {row.reason[:120]}"
        self.say(
            f"{self.task.name}: attempt {row.attempt} of {self.plan.attempts}: {what}; at most {left / 60:.1f} min left"
        )


def truth(folder: RunFolder, finished: list[Finished]) -> list[PastAttempt]:
    """What the sealed verifier said about each attempt."""
    told = []
    for row in finished:
        ended = folder.ended(row.attempt)
        told.append(
            PastAttempt(row.attempt, row.valid, row.score, row.reward, row.reason, ended.patch if ended else "")
        )
    return told
