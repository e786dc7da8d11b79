"""The lines that people read in Slack and in the log."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from auto_benchmark.leaderboards.delta import Change, ChangeType
from auto_benchmark.leaderboards.entry import Entry
from auto_benchmark.leaderboards.naming import identity

MOST_DECIMALS = 4


def decimals(*values: float | None) -> int:
    """Digits after the point with which these scores were published, at most four."""
    most = 0
    for value in values:
        if value is not None:
            text = f"{value:.{MOST_DECIMALS}f}".rstrip("0")
            most = max(most, len(text.partition(".")[2]))
    return most


def alert_lines(
    board: str, changes: Sequence[Change], now: Sequence[Entry], mine: Collection[str], *, higher_is_better: bool
) -> list[str]:
    """One line per change that matters, then our standing.

    Args:
        board: the board's name.
        changes: the delta.
        now: ranked entries.
        mine: identities of our names.
        higher_is_better: direction.
    """
    us = our_entry(now, mine)
    lines = [line for change in changes if (line := _line(board, change, us, mine))]
    status = status_line(now, us, higher_is_better=higher_is_better)
    return lines + ([status] if status else [])


def our_entry(now: Sequence[Entry], mine: Collection[str]) -> Entry | None:
    """Our best entry among ranked entries, by identity."""
    return next((e for e in now if identity(e.system) in mine), None)


def gap_to_first(now: Sequence[Entry], us: Entry, *, higher_is_better: bool) -> float:
    """Our score against #1's, negative when behind whatever the direction; in the metric's unit."""
    assert us.score is not None
    leader = next(e.score for e in now if e.score is not None)
    return (us.score - leader) if higher_is_better else (leader - us.score)


def status_line(now: Sequence[Entry], us: Entry | None, *, higher_is_better: bool) -> str | None:
    """``[STATUS] Our rank: #3 | Gap to #1: -0.038``."""
    if us is None or us.score is None:
        return None
    tied = sum(1 for e in now if e.score == us.score) > 1
    rank = f"#{us.rank}" + (" (tied)" if tied else "")
    behind = next((e for e in now if e.score is not None and e is not us and (e.rank or 0) > (us.rank or 0)), None)
    if us.rank == 1 and not tied and behind is not None and behind.score is not None:
        lead = (us.score - behind.score) if higher_is_better else (behind.score - us.score)
        return f"[STATUS] Our rank: {rank} | Lead over #2: {lead:+.{decimals(us.score, behind.score)}f}"
    gap = gap_to_first(now, us, higher_is_better=higher_is_better)
    leader = next(e.score for e in now if e.score is not None)
    return f"[STATUS] Our rank: {rank} | Gap to #1: {gap or 0.0:+.{decimals(us.score, leader)}f}"


def _line(board: str, change: Change, us: Entry | None, mine: Collection[str]) -> str | None:
    places = decimals(change.old, change.new)
    old, new = (None if v is None else f"{v:.{places}f}" for v in (change.old, change.new))
    ours = identity(change.system) in mine
    step = f"{old} → {new}"
    if change.old is not None and change.new is not None:
        step += f" ({change.new - change.old:+.{places}f})"
    match change.type:
        case ChangeType.IMPROVED:
            return (
                f"[INFO] We improved on {board}: {step}"
                if ours
                else f"[ALERT] {change.system} improved on {board}: {step}"
            )
        case ChangeType.WORSENED:
            return (
                f"[ALERT] We worsened on {board}: {step}"
                if ours
                else f"[INFO] {change.system} worsened on {board}: {step}"
            )
        case ChangeType.NEW_ENTRANT:
            return _entrant(change, new, us, ours)
        case ChangeType.OVERTOOK_US:
            return f"[ALERT] {change.system} overtook us on {board}: {new} — now ranked #{change.new_rank}"
        case ChangeType.WE_OVERTOOK:
            return f"[INFO] We overtook {change.system} on {board}: {new} — now ranked #{change.new_rank}"
        case ChangeType.TIED:
            return f"[ALERT] {change.system} tied with us on {board}: {new} — both ranked #{change.new_rank}"
        case ChangeType.RENAMED:
            return f"[INFO] Renamed on {board}: {change.was} → {change.system} (score {new} unchanged)"
        case ChangeType.WITHDRAWN:
            return f"[INFO] Withdrawn from {board}: {change.system} (was #{change.old_rank} at {old})"
        case ChangeType.CORRECTED:
            return f"[INFO] Corrected on {board}: {change.system} {step}"
        case ChangeType.METRIC_RESET:
            return f"[ALERT] Metric reset on {board}: all scores changed, best {old} → {new}; not compared entry by entry"
        case ChangeType.VERSION_SWITCHED:
            return f"[ALERT] {board} switched to another version: best {old} → {new}; not compared entry by entry"
    return None


def _entrant(change: Change, new: str | None, us: Entry | None, ours: bool) -> str:
    if ours:
        return f"[INFO] We entered at {new} — now ranked #{change.new_rank}"
    line = f"New entrant: {change.system} at {new} — now ranked #{change.new_rank}"
    if us is None or us.rank is None or change.new_rank is None:
        return f"[ALERT] {line}"
    if change.new_rank == us.rank:
        return f"[ALERT] {line}, tied with us"
    return f"[ALERT] {line}, ahead of us" if change.new_rank < us.rank else f"[INFO] {line}, behind us"
