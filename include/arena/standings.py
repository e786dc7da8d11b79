"""Who stands where on a board, and how that came about.

A system's entry is its best submission; of equals, the latest. A worse resubmission changes nothing. Everything is
computed from the stored submissions and runs, so a restart shows the same board and the same history.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from arena.declaration import Entrant
from arena.store import AcceptedSubmission, Measured


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a board."""

    system: str
    measured: Measured
    submitted_at: datetime


@dataclass(frozen=True, slots=True)
class Change:
    """One event in a board's history; ``old`` is None for a new system."""

    system: str
    old: float | None
    new: float
    rank: int
    at: datetime


def published_at(entrant: Entrant, run_at: datetime, submissions: Sequence[AcceptedSubmission]) -> datetime | None:
    """When an entrant shows up; None while its condition is not met."""
    needed = entrant.appears.after_submissions
    if len(submissions) < needed:
        return None
    since = submissions[needed - 1].submitted_at if needed else run_at
    return max(run_at, since) + timedelta(seconds=entrant.appears.delay_s)


def history(events: Sequence[Entry], *, higher_is_better: bool, now: datetime) -> tuple[list[Entry], list[Change]]:
    """Replay events in the order of their time.

    Args:
        events: publications of competitors and submissions, in any order.
        higher_is_better: direction of the board's metric.
        now: later events have not happened yet.

    Returns:
        Entries, best first (of equals, the earlier first), and every change, oldest first.
    """
    sign = 1 if higher_is_better else -1
    best: dict[str, Entry] = {}
    changes: list[Change] = []
    for event in sorted((e for e in events if e.submitted_at <= now), key=lambda e: e.submitted_at):
        held = best.get(event.system)
        if held is not None and sign * event.measured.score < sign * held.measured.score:
            continue
        best[event.system] = event
        rank = 1 + sum(sign * e.measured.score > sign * event.measured.score for e in best.values())
        if held is None or held.measured.score != event.measured.score:
            old = held.measured.score if held else None
            changes.append(Change(event.system, old, event.measured.score, rank, event.submitted_at))
    entries = sorted(best.values(), key=lambda e: (-sign * e.measured.score, e.submitted_at, e.system))
    return entries, changes
