"""One line that people read about a board, with what it is about: the words are made from the facts, never read back."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from auto_benchmark.documents import Strict


class Level(StrEnum):
    """What stands in brackets before the line."""

    ALERT = "ALERT"
    INFO = "INFO"
    STATUS = "STATUS"


class Topic(StrEnum):
    """What the line is about."""

    OVERTAKEN = "overtaken"
    ENTRANT_AHEAD = "entrant_ahead"
    OURS = "ours"
    """An entry of ours, or somebody level with it."""
    STANDING = "standing"
    OTHERS = "others"


class Alert(Strict):
    """A line. ``str(alert)`` is ``[LEVEL] text``, the form of the command line's contract."""

    level: Level
    topic: Topic
    text: str

    @classmethod
    def stored(cls, value: Any) -> Alert:
        """A line as the database holds it; older versions stored the bare line, of which the level alone is known."""
        if isinstance(value, str):
            bracket, _, text = value.removeprefix("[").partition("] ")
            known = bracket in set(Level)
            return cls(
                level=Level(bracket) if known else Level.INFO, topic=Topic.OTHERS, text=text if known else value
            )
        return cls.model_validate(value)

    @property
    def urgency(self) -> int:
        """Its place among the lines of one notice: our standing, what concerns our rank, other alerts, the rest."""
        if self.level is Level.STATUS:
            return 0
        if self.level is Level.ALERT:
            return 2 if self.topic is Topic.OTHERS else 1
        return 3

    def __str__(self) -> str:
        """As people read it."""
        return f"[{self.level}] {self.text}"


def alert_line(level: Level, topic: Topic, text: str) -> Alert:
    """A line; shorter to write where many are made."""
    return Alert(level=level, topic=topic, text=text)
