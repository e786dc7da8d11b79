"""Counts what an attempt uses up, and measures for it: every call is charged and recorded."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

from auto_benchmark.agents.brief import Brief, BudgetLeft
from auto_benchmark.agents.measure import Measure, MeasureCall, Measured
from auto_benchmark.agents.patch import unified
from auto_benchmark.agents.workspace import Files, is_editable, write_files
from auto_benchmark.documents import storable
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.scratch import scratch_folder

LONGEST_FEEDBACK = 4_000


class Meter:
    """The budget of one attempt.

    Args:
        measure: measures a folder; None where nothing can be measured.
        brief: with the budget at the start.
        base: all files of the workspace at the start; those that are not editable are part of what is measured.
        clock: monotonic seconds.

    Attributes:
        calls: what was measured so far.
        money: spent so far by this attempt.
    """

    def __init__(
        self, measure: Measure | None, brief: Brief, base: Files, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.calls: list[MeasureCall] = []
        self.money = 0.0
        self._measure, self._brief, self._clock = measure, brief, clock
        self._began = clock()
        self._editable = {name: file for name, file in base.items() if is_editable(name, brief.editable)}
        self._fixed = {name: file for name, file in base.items() if name not in self._editable}

    @property
    def left(self) -> BudgetLeft:
        """What is left now."""
        budget = self._brief.budget
        money = None if budget.money_left is None else max(0.0, budget.money_left - self.money)
        return replace(
            budget,
            seconds_left=max(0.0, budget.seconds_left - self.seconds),
            money_left=money,
            measures_left=max(0, budget.measures_left - len(self.calls)),
        )

    @property
    def seconds(self) -> float:
        """Since the attempt began."""
        return self._clock() - self._began

    @property
    def can_measure(self) -> bool:
        """Whether another call would be answered."""
        return self._measure is not None and self.left.measures_left > 0 and self.left.seconds_left > 0

    def measure(self, candidate: Callable[[], Files]) -> Measured | None:
        """Measure files; None, uncharged, where the budget is spent.

        Args:
            candidate: gives the editable files; what it raises for them is the feedback, and is charged too.
        """
        if self._measure is None or not self.can_measure:
            return None
        patch = ""
        try:
            files = candidate()
            patch = unified(self._editable, files)
            with scratch_folder("measure") as scratch:
                folder = scratch / "candidate"
                write_files(folder, {**self._fixed, **files})
                measured = _bounded(self._measure(folder))
        except AutoBenchmarkError as error:
            measured = _bounded(Measured(False, None, str(error)))
        left = replace(self.left, measures_left=self.left.measures_left - 1)
        self.calls.append(MeasureCall(round(self.seconds, 3), measured, patch, left))
        return measured


def _bounded(told: Measured) -> Measured:
    """The same as text that can be stored and a number that is one."""
    feedback = storable(told.feedback)[:LONGEST_FEEDBACK]
    if told.score is not None and not math.isfinite(told.score):
        return Measured(False, None, f"the score is {told.score}: {feedback}")
    return Measured(told.valid, told.score, feedback)
