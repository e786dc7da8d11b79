"""The contract of every paper source: what was new since last time, and where to go on next time.

Rules that each source keeps (one test suite checks them all): nothing is lost between two runs; a paper is never
reported as read before it was; a fault is raised or named, never an empty answer; what was read before a fault stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.research.paper import Paper

Mark = Mapping[str, Any]
"""What a source wants to be reminded of at its next run; JSON. Empty at the first run and for a backfill."""


class SourceFault(StrEnum):
    """Why a source could not be read, in one word."""

    RATE_LIMITED = "rate_limited"
    UNREACHABLE = "unreachable"
    NOT_A_FEED = "not_a_feed"
    MALFORMED = "malformed"
    NOT_FOUND = "not_found"
    SUSPECT = "suspect"


class SourceFailed(AutoBenchmarkError):  # noqa: N818 - reads as what happened
    """A source could not be read at all; the others go on.

    Args:
        fault: one word for programs.
        message: what was asked and what came back.
    """

    def __init__(self, fault: SourceFault, message: str) -> None:
        self.fault = fault
        self.message = message
        super().__init__(f"{fault}: {message}")


@dataclass(frozen=True, slots=True)
class Batch:
    """What one run of one source brought.

    Attributes:
        papers: new since the mark, oldest first where the source has dates.
        mark: for the next run. It never lies beyond a paper that was not read.
        incomplete: the source broke off; the next run goes on where this one stopped.
        notes: what a person should know: entries left out, faults survived.
    """

    papers: tuple[Paper, ...]
    mark: Mark
    incomplete: bool = False
    notes: tuple[str, ...] = field(default=())


class PaperSource(Protocol):
    """One query, venue, blog or tracked paper."""

    @property
    def key(self) -> str:
        """Identity for the mark: kind and what is asked (``arxiv:memory networks``)."""
        ...

    def fetch(self, mark: Mark) -> Batch:
        """Papers that are new since ``mark``. Raises SourceFailed when nothing could be read."""
        ...
