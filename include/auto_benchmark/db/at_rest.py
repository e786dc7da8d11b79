"""An import records a past: none of its rows may make anything happen by itself.

What was about to be sent is not sent, what somebody worked on is given back, what waits for an answer by the loop is
taken as answered. A question to a person stays a question, and the queue stays a queue: those wait for somebody here.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Table

from auto_benchmark.contract.trial import TrialState
from auto_benchmark.errors import RefusedError
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus

WHY = "imported before it was sent; an import sends nothing"
OWNER = "import"
FREE = {"lease_owner": None, "lease_expires_at": None, "heartbeat_at": None}
_TO_COME = frozenset({"due_at", "lease_expires_at"})
"""Times that may lie in the future; every other one tells of the past."""


def at_rest(table: Table, row: dict[str, Any], moment: datetime) -> dict[str, Any]:
    """The row as it is stored.

    Args:
        table: that the row is of.
        row: as the archive holds it.
        moment: of the import.
    """
    changes: dict[str, Any] = {}
    if FREE.keys() <= row.keys():
        changes |= FREE
    match table.name, row.get("state", row.get("status")):
        case "trials", TrialState.RUNNING:
            changes |= {"state": TrialState.PLANNED.value, "started_at": None}
        case "hypotheses", HypothesisStatus.ACTIVE:
            changes["status"] = HypothesisStatus.QUEUED.value
        case "outbox", "pending":
            changes |= {"state": "dead", "last_error": WHY}
        case "submissions", "pending":
            changes |= {"state": "refused", "receipt": {"error": WHY}}
        case "competitive_deltas", _ if row["event_key"] and row["claimed_at"] is None:
            changes |= {"claimed_by": OWNER, "claimed_at": moment}
    return {**row, **changes}


def newest(row: dict[str, Any], place: str, *, latest: datetime) -> datetime | None:
    """The newest time of the past in a row. Raises RefusedError where it lies after ``latest``."""
    times = [v for column, v in row.items() if isinstance(v, datetime) and column not in _TO_COME]
    if not times:
        return None
    if max(times) > latest:
        column = next(c for c, v in row.items() if v is max(times))
        raise RefusedError(f"{place}: {column}: {max(times).isoformat()} lies in the future")
    return max(times)
