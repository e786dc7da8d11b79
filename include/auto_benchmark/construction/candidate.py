"""A candidate: a system that answers items. A panel of them says what a benchmark measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from auto_benchmark.construction.item import Answer, Asked, Item

Solved = tuple[Asked, Answer]


class Kind(StrEnum):
    """Who wrote a candidate."""

    EXTERNAL = "external program"
    OWN = "written here"
    PLANTED = "planted"
    """A program with known weaknesses, most of them given the keys; it checks the instrument and counts for nothing else."""


class Candidate(Protocol):
    """A system that answers items. The same items and examples give the same answers.

    Attributes:
        name: lower-case identifier; requests name it.
        version: of the program, as it calls itself.
        kind: who wrote it.
        modalities: of items that it can answer: ``text``, ``picture``, ``sound``, ``dialogue``.
        sources: that it was made for; empty where it can try any.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def version(self) -> str: ...  # noqa: D102
    @property
    def kind(self) -> Kind: ...  # noqa: D102
    @property
    def modalities(self) -> frozenset[str]: ...  # noqa: D102
    @property
    def sources(self) -> frozenset[str]: ...  # noqa: D102

    def answer(self, asked: Sequence[Asked], examples: Sequence[Solved]) -> Sequence[object]:
        """One answer per item, in order; None where there is none.

        Args:
            asked: items of one description.
            examples: other items of it with their keys, to learn from.
        """
        ...


class Learning(StrEnum):
    """What a candidate has learned from when it answers the finished benchmark."""

    APART = "each subtask apart"
    """Examples of the subtask that is asked, as the prompt of a model shows them."""
    TOGETHER = "all subtasks together"
    """The whole split ``train`` at once, as a trial of the loop does."""


@runtime_checkable
class Trainable(Protocol):
    """A candidate that the loop can try too, so that its entry on a board has to be what a trial of it would get.

    It is trained and asked as a trial is: once on the whole split ``train``, one other split at a time. Every other
    candidate learns each subtask apart. A search has one description at a time, on which both come to the same.
    """

    def answer_view(self, view: Path) -> Mapping[str, object]:
        """Answers by item id.

        Args:
            view: a directory as a trial gets it: ``train.jsonl`` with answers, ``inputs.jsonl`` without.
        """
        ...


@runtime_checkable
class KeyHolder(Protocol):
    """A planted candidate: it sees whole items, keys included."""

    def answer_items(self, items: Sequence[Item]) -> Sequence[object]:
        """One answer per item, in order."""
        ...


@runtime_checkable
class Elsewhere(Protocol):
    """A candidate that runs in an environment of its own, which may not be there."""

    @property
    def missing(self) -> str | None: ...  # noqa: D102


def learning(candidate: Candidate) -> Learning:
    """How a candidate learns what the finished benchmark asks."""
    return Learning.TOGETHER if isinstance(candidate, Trainable) else Learning.APART


def missing(candidate: Candidate) -> str | None:
    """What has to be installed before a candidate can be started here; None where it can."""
    return candidate.missing if isinstance(candidate, Elsewhere) else None
