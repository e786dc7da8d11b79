"""A board over time, as dated snapshots would have been taken in."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from pydantic import Field

from auto_benchmark.documents import Strict
from auto_benchmark.leaderboards.alert import Alert, Level, Topic, alert_line
from auto_benchmark.leaderboards.compare import compare
from auto_benchmark.leaderboards.delta import Change
from auto_benchmark.leaderboards.name_alerts import imitation_alerts, unproven
from auto_benchmark.leaderboards.our_names import OurNames
from auto_benchmark.leaderboards.plausibility import suspicions
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.registry.names import Number
from auto_benchmark.tables.entry import ParsedBoard


class ReplayedDocument(Strict):
    """One document: what was read, what had changed, or why it was refused.

    Attributes:
        date: ISO date.
        file: its name.
        status: a refused snapshot changes nothing; the last good one stands.
        reason: why it was refused.
        n_entries: scored entries.
        leader: system at #1.
        score: its score.
        changes: against the last good snapshot.
        alerts: lines for people.
    """

    date: str
    file: str
    status: Literal["ok", "refused"]
    reason: str | None = None
    n_entries: int | None = None
    leader: str | None = None
    score: Number | None = None
    changes: list[Change] = []
    alerts: list[Alert] = Field(default=[], exclude=True)


class History(Strict):
    """Output of ``leaderboard replay``.

    Attributes:
        systems: every system that a good snapshot lists.
        skipped: names in the directory that begin with no date.
        unproven: dated scores under our name that differ from those before; no document can say whether we handed
            them in.
    """

    board: str
    snapshots: list[ReplayedDocument]
    systems: set[str] = Field(default=set(), exclude=True)
    skipped: list[str] = Field(default=[], exclude=True)
    unproven: list[str] = Field(default=[], exclude=True)


class Timeline:
    """Takes snapshots in one by one and remembers the last good one.

    Args:
        spec: the board.
        ours: names of our system.
    """

    def __init__(self, spec: Leaderboard, *, ours: Collection[str] = ()) -> None:
        self._spec, self._ours = spec, ours
        self._names = OurNames(ours)
        self.unproven: list[str] = []
        self.last_good: ParsedBoard | None = None
        self.systems: set[str] = set()
        self._in_doubt = False

    def take(self, board: ParsedBoard, *, date: str, file: str) -> ReplayedDocument:
        """Compare with the last good snapshot; keep the new one unless it cannot be true."""
        spec = self._spec
        told, imitating = self._names.with_imitations_renamed(board.entries)
        board = board.model_copy(update={"entries": told})
        before = self.last_good.entries if self.last_good else []
        delta = compare(
            before,
            board.entries,
            board=spec.name,
            higher_is_better=spec.higher_is_better,
            ours=self._ours,
            aliases=spec.canonical_names,
            items=spec.share_items,
            stderr=spec.stderr,
            dated=spec.columns.date is not None,
        )
        doubts = suspicions(before, board.entries, warnings=board.warnings, whole_board=delta.whole_board)
        if doubts:
            return self.refuse("; ".join(doubts), date=date, file=file)
        back = [alert_line(Level.INFO, Topic.OTHERS, f"{spec.name} reads well again")] if self._in_doubt else []
        back += imitation_alerts(spec.name, imitating, before)
        self.unproven += [f"{date}: {line}" for line in unproven(self._names, before, told)]
        self.last_good, self._in_doubt = board, False
        self.systems |= {e.system for e in board.entries}
        first = next((e for e in board.entries if e.score is not None), None)
        return ReplayedDocument(
            date=date,
            file=file,
            status="ok",
            n_entries=sum(1 for e in board.entries if e.score is not None),
            leader=first.system if first else None,
            score=first.score if first else None,
            changes=delta.changes,
            alerts=back + delta.alerts,
        )

    def refuse(self, reason: str, *, date: str, file: str) -> ReplayedDocument:
        """Leave a snapshot out: one alert when doubts begin, none while they last."""
        text = f"{self._spec.name} could not be read: {reason}"
        alerts = [] if self._in_doubt else [alert_line(Level.ALERT, Topic.OTHERS, text)]
        self._in_doubt = True
        return ReplayedDocument(date=date, file=file, status="refused", reason=reason, alerts=alerts)
