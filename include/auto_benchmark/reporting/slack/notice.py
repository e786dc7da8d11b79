"""A notice: one thing that people are told in Slack, before it is cut into messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class NoticeKind(StrEnum):
    """What a notice is about."""

    RANK_DROP = "rank_drop"
    OVERTAKEN = "overtaken"
    NEW_ENTRANT_AHEAD = "new_entrant_ahead"
    COMPETITOR = "competitor"
    REGRESSION = "regression"
    ESCALATION = "escalation"
    PROMOTION = "promotion"
    NUMBER_ONE = "number_one"
    CYCLE_MISSED = "cycle_missed"
    DIGEST = "digest"

    @property
    def is_urgent(self) -> bool:
        """Whether it is sent in quiet hours too: we lost a place."""
        return self in {NoticeKind.RANK_DROP, NoticeKind.OVERTAKEN, NoticeKind.NEW_ENTRANT_AHEAD}

    @property
    def icon(self) -> str:
        """The sign before the title."""
        return _ICONS[self]


_ICONS = {
    NoticeKind.RANK_DROP: "🔻",
    NoticeKind.OVERTAKEN: "🔻",
    NoticeKind.NEW_ENTRANT_AHEAD: "🆕",
    NoticeKind.COMPETITOR: "👀",
    NoticeKind.REGRESSION: "📉",
    NoticeKind.ESCALATION: "🙋",
    NoticeKind.PROMOTION: "🚀",
    NoticeKind.NUMBER_ONE: "🏆",
    NoticeKind.CYCLE_MISSED: "⏰",
    NoticeKind.DIGEST: "🗞️",
}


@dataclass(frozen=True, slots=True)
class Part:
    """Lines under a heading; an empty heading shows none."""

    heading: str
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to tell.

    Attributes:
        key: the same however often the rows are read; what was told once is not told again.
        board: whose channel and thread it goes to; None for the project's.
        parts: plain text, most important first.
        incident: what its thread is about, where the rows say it; the board's open incident otherwise.
        opens_at: our rank before the place was lost: the incident lasts until we have that rank again.
        rank: our rank on ``board`` after the event, where it is about the board itself.
        report: where the rest stands when it is too long.
    """

    key: str
    kind: NoticeKind
    at: datetime
    title: str
    parts: Sequence[Part]
    board: str | None = None
    incident: str | None = None
    opens_at: int | None = None
    rank: int | None = None
    report: str = "the report"
