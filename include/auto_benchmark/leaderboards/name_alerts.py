"""What people read about entries under our name, and about those whose name looks like ours."""

from __future__ import annotations

from collections.abc import Sequence

from auto_benchmark.leaderboards.alert import Alert, Level, Topic, alert_line
from auto_benchmark.leaderboards.aside import AsideRow, Whose
from auto_benchmark.leaderboards.our_entries import JudgedBoard
from auto_benchmark.leaderboards.our_names import OurNames
from auto_benchmark.tables.entry import Entry

_ALERTS = {
    Whose.IMITATION: "Somebody's name imitates ours on {board}: {name} at {score}. It counts as a competitor; "
    "a spelling that is ours belongs among the aliases of our_solution",
    Whose.UNCONFIRMED: "{board} shows {score} under our name ({name}), which we never handed in. "
    "It moves nothing until a person says whose it is",
}


def alert_lines(board: str, found: JudgedBoard, before: Sequence[AsideRow]) -> list[Alert]:
    """One line per row that is not ours and was not read so before."""
    seen = {row.key for row in before}
    return [
        alert_line(
            Level.ALERT, Topic.OURS, _ALERTS[row.whose].format(board=board, name=row.name, score=f"{row.score:.10g}")
        )
        for row in found.aside
        if row.whose in _ALERTS and row.key not in seen
    ]


def imitation_alerts(board: str, imitating: Sequence[Entry], before: Sequence[Entry]) -> list[Alert]:
    """One line per imitation that was not listed before."""
    known = {entry.system for entry in before}
    return [
        alert_line(
            Level.ALERT,
            Topic.OURS,
            _ALERTS[Whose.IMITATION].format(board=board, name=e.system, score=f"{e.score:.10g}"),
        )
        for e in imitating
        if e.system not in known
    ]


def unproven(names: OurNames, before: Sequence[Entry], now: Sequence[Entry]) -> list[str]:
    """Scores under our name that the document before, the first of which is trusted, does not have."""
    known = [e.score for e in before if names.borne_by(e)]
    found = [e for e in now if e.score is not None and names.borne_by(e)] if before else []
    return [f"{e.system!r} shows {e.score:.10g}" for e in found if e.score not in known]
