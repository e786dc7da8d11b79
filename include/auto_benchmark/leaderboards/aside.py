"""Rows of a board that do not count as ours although they bear our name, or look so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Whose(StrEnum):
    """What is said of a row that is not ours although it bears our name or looks so.

    ``unconfirmed``: waits for a person. ``in_flight``: appeared while a submission was being made; the next reading
    tells. ``denied``: a person said that it is not ours. ``imitation``: its name only looks like ours.
    """

    UNCONFIRMED = "unconfirmed"
    IN_FLIGHT = "in_flight"
    DENIED = "denied"
    IMITATION = "imitation"


@dataclass(frozen=True, slots=True)
class AsideRow:
    """A row that does not count as ours; ``since`` is when it was first read so."""

    name: str
    score: float
    whose: Whose
    since: datetime

    @property
    def key(self) -> tuple[str, float, Whose]:
        """What makes two readings of a row the same."""
        return self.name, self.score, self.whose
