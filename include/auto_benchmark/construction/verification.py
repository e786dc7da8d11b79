"""Checks that every item passes before it is kept. Nothing is repaired: an item that fails one is replaced by another."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from auto_benchmark.construction.answers import is_right, is_same_key
from auto_benchmark.construction.item import Item
from auto_benchmark.construction.near_duplicates import MOST_OVERLAP, Earlier, fingerprint, substance
from auto_benchmark.construction.source import Source

NEAR_DUPLICATES_ALLOWED = 0.02
LONGEST_ANSWER = 200


class Defect(StrEnum):
    """Why an item is rejected."""

    SCHEMA = "schema"
    WRONG_KEY = "wrong key"
    UNANSWERABLE = "unanswerable"
    NOT_FROM_EVIDENCE = "not from its evidence"
    ECHO = "answer in the question"
    TWO_RIGHT_OPTIONS = "two right options"
    NO_RIGHT_OPTION = "no right option"
    LEAKED_INSTRUCTION = "leaked instruction"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near-duplicate"
    CONTAMINATED = "contaminated"
    LOW_SALIENCE = "low salience"


_LEAK = re.compile(
    r"(the (correct|right) answer is|answer key|\banswer\s*[:=]\s*\S|ignore (all |the )?(previous|above)|as an ai\b|"
    r"\{\{[ \t]*\w|\w[ \t]*\}\}|\[/?inst\]|<\|[a-z_]+\|>|\bTODO\b|lorem ipsum|system prompt)",
    re.IGNORECASE,
)
"""What a template, a model or an author leaves in a question by mistake."""


@dataclass(slots=True)
class Verifier:
    """Verifies items one after the other; it remembers those that it has kept.

    Attributes:
        sources: by name of the card.
        earlier: texts that items must not stand in already.
        least_salience: of an item, where one is asked for.
        size: of the finished benchmark: two of a hundred items may be near-duplicates of another.
    """

    sources: Mapping[str, Source]
    earlier: Earlier = field(default_factory=Earlier)
    least_salience: float | None = None
    size: int = 0
    ids: set[str] = field(default_factory=set)
    fingerprints: set[str] = field(default_factory=set)
    substances: set[str] = field(default_factory=set)
    near_duplicates: int = 0

    def defect(self, item: Item) -> Defect | None:
        """The first thing that is wrong with an item; None where it is kept."""
        found = next((defect for check in _CHECKS if (defect := check(self, item)) is not None), None)
        if found is None:
            self.remember(item)
        return found

    def remember(self, item: Item) -> None:
        """Count an item that was verified before as kept."""
        self.near_duplicates += self.is_near(item)
        self.ids.add(item.id)
        self.fingerprints.add(fingerprint(item))
        self.substances.add(substance(item))

    def is_near(self, item: Item) -> bool:
        """Whether one that is kept differs from it in names and numbers alone, or in its dress alone."""
        return fingerprint(item) in self.fingerprints or substance(item) in self.substances


def _schema(_: Verifier, item: Item) -> Defect | None:
    answer = item.answer
    fits = isinstance(answer, int | str) and not isinstance(answer, bool) and len(str(answer)) <= LONGEST_ANSWER
    return None if fits and item.asked.question.strip() else Defect.SCHEMA


def _key(verifier: Verifier, item: Item) -> Defect | None:
    if not str(item.answer).strip() or item.source not in verifier.sources:
        return Defect.UNANSWERABLE
    try:
        again = verifier.sources[item.source].key_again(item)
    except Exception:  # whatever the second way of a source raises on what it cannot read
        return Defect.UNANSWERABLE
    return None if is_same_key(again, item.answer) else Defect.WRONG_KEY


def _evidence(verifier: Verifier, item: Item) -> Defect | None:
    form = verifier.sources[item.source].form(item.form)
    try:
        asked = form.ask(item.evidence)
    except Exception:  # evidence that somebody has changed
        return Defect.UNANSWERABLE
    same = (asked.question, asked.context, asked.options, asked.rules) == (
        item.asked.question, item.asked.context, item.asked.options, item.asked.rules
    )  # fmt: skip
    return None if same else Defect.NOT_FROM_EVIDENCE


def _options(_: Verifier, item: Item) -> Defect | None:
    options = item.asked.options
    if not options:
        return None
    if any(is_right(one, other) for one, other in itertools.combinations(options, 2)):
        return Defect.TWO_RIGHT_OPTIONS
    right = sum(is_right(option, item.answer) for option in options)
    return None if right == 1 else Defect.NO_RIGHT_OPTION if right == 0 else Defect.TWO_RIGHT_OPTIONS


def _echo(_: Verifier, item: Item) -> Defect | None:
    """Where options stand in the question all of them do, which shows nothing."""
    if item.asked.options:
        return None
    answer = str(item.answer).casefold().strip()
    pattern = rf"(?<![\w.,-]){re.escape(answer)}(?![\w-]|[.,]\d)"
    return Defect.ECHO if re.search(pattern, item.asked.question.casefold()) else None


def _leak(verifier: Verifier, item: Item) -> Defect | None:
    """In an attack the instruction is what is asked; :func:`_evidence` finds one that was added to it."""
    source = verifier.sources.get(item.source)
    if source is not None and source.form(item.form).twin is not None:
        return None
    return Defect.LEAKED_INSTRUCTION if _LEAK.search(item.asked.text()) else None


def _duplicate(verifier: Verifier, item: Item) -> Defect | None:
    if item.id in verifier.ids:
        return Defect.DUPLICATE
    allowed = int(NEAR_DUPLICATES_ALLOWED * verifier.size)
    if verifier.near_duplicates >= allowed and verifier.is_near(item):
        return Defect.NEAR_DUPLICATE
    return None


def _contaminated(verifier: Verifier, item: Item) -> Defect | None:
    return Defect.CONTAMINATED if verifier.earlier.overlap(item) > MOST_OVERLAP else None


def _salience(verifier: Verifier, item: Item) -> Defect | None:
    least = verifier.least_salience
    return Defect.LOW_SALIENCE if least is not None and (item.salience is None or item.salience < least) else None


_CHECKS: tuple[Callable[[Verifier, Item], Defect | None], ...] = (
    _schema, _duplicate, _leak, _options, _echo, _key, _evidence, _contaminated, _salience,
)  # fmt: skip
"""In this order: what an item looks like before what it says."""
