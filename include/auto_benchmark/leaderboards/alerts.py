"""The lines that people read in Slack and in the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from auto_benchmark.leaderboards.delta import Change, ChangeType
from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.naming import identity

MOST_DECIMALS = 4
MOST_CORRECTIONS = 5
"""Corrections told one by one; more are told in one line."""


def decimals(*values: float | None) -> int:
    """Digits after the point with which these scores were published, at most four."""
    most = 0
    for value in values:
        if value is not None:
            text = f"{value:.{MOST_DECIMALS}f}".rstrip("0")
            most = max(most, len(text.partition(".")[2]))
    return most


def usual_decimals(entries: Sequence[Entry]) -> int:
    """Decimals with which the board publishes most of its scores."""
    counts = Counter(decimals(e.score) for e in entries if e.score is not None)
    return max(counts, key=lambda places: (counts[places], places), default=0)


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
    us, places = our_entry(now, mine), usual_decimals(now)
    corrected = [c for c in changes if c.type is ChangeType.CORRECTED and identity(c.system) not in mine]
    folded = corrected if len(corrected) > MOST_CORRECTIONS else []
    told = [c for c in changes if c not in folded]
    lines = [line for change in told if (line := _line(board, change, us, mine, places))]
    if folded:
        lines.append(f"[INFO] Corrected on {board}: {len(folded)} entries slightly, e.g. {folded[0].system}")
    status = status_line(now, us, higher_is_better=higher_is_better)
    return lines + ([status] if status else [])


def our_entry(now: Sequence[Entry], mine: Collection[str]) -> Entry | None:
    """Our best entry among ranked entries, by identity."""
    return next((e for e in now if identity(e.system) in mine), None)


def gap_to_first(now: Sequence[Entry], us: Entry, *, higher_is_better: bool) -> float:
    """Our score against #1's, negative when behind whatever the direction; in the metric's unit."""
    leader = next(e.score for e in now if e.score is not None)
    ours = leader if us.score is None else us.score
    return (ours - leader) if higher_is_better else (leader - ours)


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


_TOLD = {
    ChangeType.IMPROVED: "[ALERT] {who} improved on {board}: {step}",
    ChangeType.WORSENED: "[INFO] {who} worsened on {board}: {step}",
    ChangeType.OVERTOOK_US: "[ALERT] {who} overtook us on {board}: {new} — now ranked #{rank}",
    ChangeType.WE_OVERTOOK: "[INFO] We overtook {who} on {board}: {new} — now ranked #{rank}",
    ChangeType.TIED: "[ALERT] {who} tied with us on {board}: {new} — both ranked #{rank}",
    ChangeType.RENAMED: "[INFO] Renamed on {board}: {was} → {who} (score {new} unchanged)",
    ChangeType.WITHDRAWN: "[INFO] Withdrawn from {board}: {who} (was #{old_rank} at {old})",
    ChangeType.CORRECTED: "[INFO] Corrected on {board}: {who} {step}",
    ChangeType.METRIC_RESET: "[ALERT] Metric reset on {board}: best {old} → {new}; entries not compared",
    ChangeType.VERSION_SWITCHED: "[ALERT] {board} switched its version: best {old} → {new}; entries not compared",
}
_TOLD_OF_US = {
    ChangeType.IMPROVED: "[INFO] We improved on {board}: {step}",
    ChangeType.WORSENED: "[ALERT] We worsened on {board}: {step}",
    ChangeType.WITHDRAWN: "[ALERT] Our entry {who} is gone from {board} (was #{old_rank} at {old})",
}


def _line(board: str, change: Change, us: Entry | None, mine: Collection[str], usual: int) -> str | None:
    places = max(usual, decimals(change.old, change.new))
    old, new = (None if v is None else f"{v:.{places}f}" for v in (change.old, change.new))
    ours = identity(change.system) in mine
    if change.type is ChangeType.NEW_ENTRANT:
        return _entrant(change, new, us, ours)
    step = f"{old} → {new}"
    if change.old is not None and change.new is not None:
        step += f" ({change.new - change.old:+.{places}f})"
    template = (_TOLD_OF_US if ours else _TOLD).get(change.type, _TOLD.get(change.type))
    if template is None:
        return None
    ranks = {"rank": change.new_rank, "old_rank": change.old_rank}
    return template.format(who=change.system, was=change.was, board=board, step=step, old=old, new=new, **ranks)


def _entrant(change: Change, new: str | None, us: Entry | None, ours: bool) -> str:
    if ours:
        return f"[INFO] We entered at {new} — now ranked #{change.new_rank}"
    line = f"New entrant: {change.system} at {new} — now ranked #{change.new_rank}"
    if us is None or us.rank is None or change.new_rank is None:
        return f"[ALERT] {line}"
    if change.new_rank == us.rank:
        return f"[ALERT] {line}, tied with us"
    return f"[ALERT] {line}, ahead of us" if change.new_rank < us.rank else f"[INFO] {line}, behind us"
