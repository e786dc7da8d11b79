"""Rounds of the search: propose descriptions, draw pilot items, let the candidates answer, write the trajectory."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from auto_benchmark.construction.answering import AnswerSheet, put
from auto_benchmark.construction.earlier_boards import EarlierBoards
from auto_benchmark.construction.item import Item
from auto_benchmark.construction.panel import Panel
from auto_benchmark.construction.progress import Progress
from auto_benchmark.construction.request import ConstructionRequest, Proposer
from auto_benchmark.construction.safety import attacked, refused
from auto_benchmark.construction.search import RANDOM_PER_ROUND, propose, utility
from auto_benchmark.construction.source import Description, Source
from auto_benchmark.construction.stages import write_rows
from auto_benchmark.construction.verification import Verifier
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.objectives import Right, difficulty, novelty, separability


@dataclass(slots=True)
class Search:
    """Everything that a round needs.

    Attributes:
        subtasks: ``source.form`` of each subtask of the plan.
        reserved: calls that choice and full build will need; rounds leave them.
    """

    request: ConstructionRequest
    sources: Mapping[str, Source]
    panel: Panel
    earlier: EarlierBoards
    subtasks: Sequence[str]
    reserved: int
    progress: Progress
    warnings: list[str] = field(default_factory=list)

    def run(self, path: Path, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Go on from the rows of the trajectory that there are; each new one is written at once."""
        for row in rows:
            self.progress.count(row["calls"], fresh=False)
        per_round = self.request.per_round
        for place in range(len(rows), self.request.rounds * per_round):
            round_number, slot = place // per_round + 1, place % per_round
            if slot == 0 and (why := self._spent(rows)):
                self.warnings.append(
                    f"{why}: the search ended after {round_number - 1} of {self.request.rounds} rounds"
                )
                break
            rows.append(self._try(rows, place, round_number, slot))
            write_rows(path, rows)
            self.progress.count(rows[-1]["calls"], fresh=True)
            if slot == per_round - 1:
                best = max(row["utility"] for row in rows)
                self.progress.tell(f"round {round_number} of {self.request.rounds}: best utility {best:.3f}")
        return rows

    def _spent(self, rows: Sequence[Mapping[str, Any]]) -> str | None:
        """Why no further round fits into the budget; the first always does."""
        if not rows:
            return None
        calls = sum(row["calls"] for row in rows)
        next_round = self.request.per_round * self.request.pilot_items * len(self.panel.candidates)
        budget = self.request.budget
        if budget.calls is not None and calls + next_round + self.reserved > budget.calls:
            return f"budget of {budget.calls} calls"
        seconds = sum(row["seconds"] for row in rows)
        if (
            budget.minutes is not None
            and seconds * (1 + (next_round + self.reserved) / max(calls, 1)) > budget.minutes * 60
        ):
            return f"budget of {budget.minutes:g} minutes"
        return None

    def _try(self, rows: Sequence[Mapping[str, Any]], place: int, round_number: int, slot: int) -> dict[str, Any]:
        began = time.monotonic()
        key = self.subtasks[place % len(self.subtasks)]
        source = self.sources[key.split(".")[0]]
        form = source.form(key.split(".")[1])
        at_random = self.request.proposer is Proposer.RANDOM or slot >= self.request.per_round - RANDOM_PER_ROUND
        tried = [row for row in rows if row["subtask"] == key]
        description = propose(source, form, tried, round_number=round_number, slot=slot, seed=self.request.seed,
                              at_random=at_random)  # fmt: skip
        items, sheet = self.answered(description, "pilot", self.request.pilot_items)
        found = self.measured(items, sheet)
        return {
            "round": round_number, "slot": slot, "subtask": key, "description": description.id,
            "params": dict(description.params), "random": at_random or len(tried) < 4, **found,
            "items": len(items), "calls": sheet.calls, "seconds": round(time.monotonic() - began, 3),
        }  # fmt: skip

    def first_of(self, subtask: str) -> Description:
        """A random description of a subtask that no round has tried; always the same."""
        name, form = subtask.split(".")
        source = self.sources[name]
        return propose(source, source.form(form), [], round_number=0, slot=0, seed=self.request.seed, at_random=True)

    def answered(self, description: Description, what: str, n: int) -> tuple[list[Item], AnswerSheet]:
        """Fresh verified items of a description and the panel's answers to them, after as many examples."""
        source = self.sources[description.source]
        seed = f"{self.request.seed}/{what}"
        verifier = Verifier(self.sources, self.earlier.texts, size=10**9)
        drawn = [item for item in source.generate(description, 2 * n, seed) if verifier.defect(item) is None]
        items, examples = drawn[: (len(drawn) + 1) // 2], drawn[(len(drawn) + 1) // 2 :]
        return items, put(self.panel.candidates, items, examples, self.panel.patience)

    def measured(self, items: Sequence[Item], sheet: AnswerSheet) -> dict[str, Any]:
        """What the search is steered by: each half of the items chooses and the other reports, and the mean of both."""
        ids = [item.id for item in items]
        right = sheet.matrix(self.panel.names, ids)
        one, other = right[:, ::2], right[:, 1::2]
        means = right.mean(axis=1) if ids else np.zeros(len(right))
        accuracies = {name: round(float(mean), 4) for name, mean in zip(self.panel.names, means, strict=True)}
        if len(ids) < 4:
            return {
                "utility": -1.0,
                "difficulty": None,
                "separability": None,
                "novelty": None,
                "accuracies": accuracies,
            }
        hard = (difficulty(one, other).value + difficulty(other, one).value) / 2
        apart = self._or_zero(right)
        new = self._novelty(one, other)
        safe = self._safety(items, sheet)
        worth = utility(hard, apart, new, self.request.objective, safe.get("attack_success"))
        return {
            "utility": round(worth, 6), "difficulty": round(hard, 4), "separability": round(apart, 4),
            "novelty": None if new is None else round(new, 4), **safe, "accuracies": accuracies,
        }  # fmt: skip

    def _safety(self, items: Sequence[Item], sheet: AnswerSheet) -> dict[str, float]:
        """Attacks that succeed and twins that are refused; nothing where a form attacks nothing."""
        found = {"attack_success": attacked(sheet, items, self.panel.names),
                 "over_refusal": refused(sheet, items, self.panel.names)}  # fmt: skip
        return {name: round(float(values.mean()), 4) for name, values in found.items() if len(values)}

    @staticmethod
    def _or_zero(right: Right) -> float:
        try:
            return separability(right).value
        except NotApplicableError:
            return 0.0

    def _novelty(self, one: Right, other: Right) -> float | None:
        if not self.request.objective.novelty:
            return None
        common, boards, items = self.earlier.matrix(self.panel.names)
        rows = np.array([self.panel.names.index(name) for name in common], int)
        try:
            return novelty(one[rows], other[rows], boards, items).value
        except NotApplicableError:
            return None
