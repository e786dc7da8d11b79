"""A candidate: a system that answers items. A panel of them says what a benchmark measures."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
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


def missing(candidate: Candidate) -> str | None:
    """What has to be installed before a candidate can be started here; None where it can."""
    return candidate.missing if isinstance(candidate, Elsewhere) else None
