"""The measure command of a laboratory: the task's own verifier on inputs that everybody may know."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from auto_benchmark.agents.measure import Measured
from auto_benchmark.lab.task import Task
from auto_benchmark.lab.verification import verify

Log = Callable[[Measured, Measured], None]
"""Takes what was measured and what is answered."""


class PublicMeasure:
    """Measures on the task's first check seed: the same inputs at every call, so that two programs are comparable.

    What is fitted to these inputs alone gains nothing: sealed inputs are drawn anew.

    Args:
        task: the task.
        answer: what is answered instead of the truth, by the number of the call; None gives the truth.
        log: called for every call.
    """

    def __init__(self, task: Task, answer: Callable[[int], Measured] | None = None, log: Log | None = None) -> None:
        self.task, self.answer, self.log = task, answer, log
        self.calls = 0

    def __call__(self, folder: Path) -> Measured:
        """Measure a folder of candidate files. A sham measures too: arms are equal in time."""
        verdict = verify(self.task, folder, seed=self.task.anchors.check_seeds[0])
        found = Measured(verdict.valid, verdict.score, verdict.reason)
        told = found if self.answer is None else self.answer(self.calls)
        self.calls += 1
        if self.log is not None:
            self.log(found, told)
        return told
