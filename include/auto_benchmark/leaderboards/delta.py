"""What changed on a board between two snapshots."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, field_serializer

from auto_benchmark.documents import Strict
from auto_benchmark.leaderboards.alert import Alert
from auto_benchmark.registry.names import Number


class ChangeType(StrEnum):
    """Kinds of change; the order is that of the report."""

    METRIC_RESET = "metric_reset"
    VERSION_SWITCHED = "version_switched"
    OVERTOOK_US = "overtook_us"
    IMPROVED = "improved"
    NEW_ENTRANT = "new_entrant"
    WORSENED = "worsened"
    WE_OVERTOOK = "we_overtook"
    RANK_SHIFT = "rank_shift"
    TIED = "tied"
    STATISTICALLY_TIED = "statistically_tied"
    RENAMED = "renamed"
    CORRECTED = "corrected"
    WITHDRAWN = "withdrawn"


class Change(Strict):
    """One change of one system. Scores are in the document's unit.

    Attributes:
        type: what happened.
        system: its name now (its last name when it is gone); the board's name for changes of the whole board.
        old: score before; None when it was not there.
        new: score now; None when it is gone.
        old_rank: competition rank before.
        new_rank: competition rank now.
        was: former name of a renamed system.
    """

    type: ChangeType
    system: str
    old: Number | None = None
    new: Number | None = None
    old_rank: int | None = None
    new_rank: int | None = None
    was: str | None = Field(default=None, exclude=True)


class Delta(Strict):
    """Output of ``leaderboard diff``: changes, and the lines that people read."""

    board: str
    changes: list[Change]
    alerts: list[Alert] = []

    @field_serializer("alerts")
    def _as_lines(self, alerts: list[Alert]) -> list[str]:
        return [str(alert) for alert in alerts]

    @property
    def whole_board(self) -> bool:
        """The board itself changed (another metric or version), so that entries were not compared."""
        return any(c.type in {ChangeType.METRIC_RESET, ChangeType.VERSION_SWITCHED} for c in self.changes)
