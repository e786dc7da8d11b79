"""Puts items to candidates and grades what they say."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from auto_benchmark.construction.answers import LONGEST, is_right
from auto_benchmark.construction.candidate import Candidate, KeyHolder, Trainable
from auto_benchmark.construction.item import Item
from auto_benchmark.construction.patience import Patience
from auto_benchmark.documents import storable
from auto_benchmark.stats.objectives import Right

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AnswerSheet:
    """The answers of a panel to the items of one description.

    Attributes:
        given: candidate -> item id -> answer.
        right: candidate -> item id -> whether it is the key.
        failed: candidate -> what stopped it; its answers count as wrong.
    """

    given: Mapping[str, Mapping[str, Any]]
    right: Mapping[str, Mapping[str, bool]]
    failed: Mapping[str, str]

    def matrix(self, names: Sequence[str], ids: Sequence[str]) -> Right:
        """(candidates, items) in the given orders."""
        return np.array([[self.right[name][item] for item in ids] for name in names], bool).reshape(
            len(names), len(ids)
        )

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]]) -> AnswerSheet:
        """The sheet that :meth:`rows` came from."""
        given: dict[str, dict[str, Any]] = {}
        right: dict[str, dict[str, bool]] = {}
        failed = {}
        for row in rows:
            if "id" in row:
                given.setdefault(row["candidate"], {})[row["id"]] = row["given"]
                right.setdefault(row["candidate"], {})[row["id"]] = bool(row["right"])
            else:
                failed[row["candidate"]] = row["failed"]
        return cls(given, right, failed)

    def rows(self) -> list[dict[str, Any]]:
        """One row per answer and one per candidate that failed, to be stored."""
        answered: list[dict[str, Any]] = [
            {"candidate": name, "id": item, "given": answer, "right": self.right[name][item]}
            for name, answers in self.given.items() for item, answer in answers.items()
        ]  # fmt: skip
        return [*answered, *({"candidate": name, "failed": why} for name, why in self.failed.items())]

    @property
    def calls(self) -> int:
        """Questions that were put."""
        return sum(map(len, self.given.values()))


def put(
    candidates: Sequence[Candidate], items: Sequence[Item], examples: Sequence[Item], patience: Patience | None = None
) -> AnswerSheet:
    """Every candidate answers every item; one that fails is wrong everywhere, and the others go on.

    Args:
        candidates: of the panel.
        items: of one description.
        examples: other items of it, seen with their keys.
        patience: with each of them; by default it begins anew.
    """
    asked, solved = [i.asked for i in items], [(i.asked, i.answer) for i in examples]

    def ask(candidate: Candidate) -> Sequence[object]:
        if isinstance(candidate, KeyHolder):
            return candidate.answer_items(items)
        return candidate.answer(asked, solved)

    return _graded(candidates, items, ask, patience or Patience())


def put_views(
    candidates: Sequence[Candidate], items: Sequence[Item], views: Sequence[Path], patience: Patience | None = None
) -> AnswerSheet:
    """Trainable candidates answer whole splits; a missing answer is wrong, as it is in a trial.

    Args:
        candidates: all of them trainable.
        items: of all views.
        views: of a trial, one for each split.
        patience: as for :func:`put`.
    """

    def ask(candidate: Candidate) -> Sequence[object]:
        if not isinstance(candidate, Trainable):
            raise TypeError(f"{candidate.name} cannot be trained")
        given: dict[str, object] = {}
        for view in views:
            given |= candidate.answer_view(view)
        return [given.get(item.id) for item in items]

    return _graded(candidates, items, ask, patience or Patience())


def _graded(
    candidates: Sequence[Candidate], items: Sequence[Item], ask: Callable[[Candidate], Sequence[object]],
    patience: Patience,
) -> AnswerSheet:  # fmt: skip
    given: dict[str, dict[str, Any]] = {}
    failed: dict[str, str] = {}
    for candidate in candidates:
        answers: list[Any] = []
        try:
            with patience.asking(candidate.name):
                answers = [_plain(answer) for answer in ask(candidate)]
                if len(answers) != len(items):
                    raise ValueError(f"{len(answers)} answers to {len(items)} items")
        except Exception as error:  # whatever a system raises
            log.warning("candidate %s failed: %s: %s", candidate.name, type(error).__name__, error)
            failed[candidate.name] = storable(f"{type(error).__name__}: {error}"[:300])
            answers = [None] * len(items)
        given[candidate.name] = {item.id: answer for item, answer in zip(items, answers, strict=True)}
    right = {
        name: {item.id: is_right(answers[item.id], item.answer) for item in items} for name, answers in given.items()
    }
    return AnswerSheet(given, right, failed)


def _plain(answer: object) -> Any:
    """An answer as it can be stored and read again; that of a model is looked at whole, however long it is."""
    if answer is None or (isinstance(answer, int) and str(answer)):  # of too many digits for a text, Python raises
        return answer
    return storable(answer if isinstance(answer, str) else str(answer)[:LONGEST])


def merged(sheets: Sequence[AnswerSheet]) -> AnswerSheet:
    """The sheets of several descriptions as one."""
    given: dict[str, dict[str, Any]] = {}
    right: dict[str, dict[str, bool]] = {}
    failed: dict[str, str] = {}
    for sheet in sheets:
        for name, answers in sheet.given.items():
            given.setdefault(name, {}).update(answers)
            right.setdefault(name, {}).update(sheet.right[name])
        failed.update(sheet.failed)
    return AnswerSheet(given, right, failed)
