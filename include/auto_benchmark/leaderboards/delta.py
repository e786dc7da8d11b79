"""What changed on a board between two snapshots."""

from __future__ import annotations

from enum import StrEnum

from auto_benchmark.documents import Strict
from auto_benchmark.registry.names import Number


class ChangeType(StrEnum):
    """Kinds of change; the order is that of the report."""

    OVERTOOK_US = "overtook_us"
    NEW_ENTRANT = "new_entrant"
    IMPROVED = "improved"
    WORSENED = "worsened"
    WE_OVERTOOK = "we_overtook"
    RANK_SHIFT = "rank_shift"
    TIED = "tied"
    STATISTICALLY_TIED = "statistically_tied"
    RENAMED = "renamed"
    CORRECTED = "corrected"
    WITHDRAWN = "withdrawn"
    METRIC_RESET = "metric_reset"
    VERSION_SWITCHED = "version_switched"


class Change(Strict):
    """One change of one system. Scores are in the document's unit."""

    type: ChangeType
    system: str
    old: Number | None = None
    new: Number | None = None
    old_rank: int | None = None
    new_rank: int | None = None


class Delta(Strict):
    """Output of ``leaderboard diff``: changes, and the lines that people read."""

    board: str
    changes: list[Change]
    alerts: list[str] = []
