"""The lines that people read in Slack and in the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from auto_benchmark.leaderboards.alert import Alert, Level, Topic, alert_line
from auto_benchmark.leaderboards.delta import Change, ChangeType
from auto_benchmark.leaderboards.standing import lead, our_entry, rivals
from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.naming import identity

MOST_DECIMALS = 4
MOST_CORRECTIONS = 5
"""Corrections that are listed one by one; more are counted in one line."""


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
) -> list[Alert]:
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
    alone = [c for c in changes if c not in folded]
    lines = [line for change in alone if (line := _line(board, change, us, mine, places))]
    lines += _tied(board, changes, us, mine, places)
    if folded:
        text = f"Corrected on {board}: {len(folded)} entries slightly, e.g. {folded[0].system}"
        lines.append(alert_line(Level.INFO, Topic.OTHERS, text))
    status = status_line(now, mine, higher_is_better=higher_is_better)
    return lines + ([status] if status else [])


def status_line(now: Sequence[Entry], mine: Collection[str], *, higher_is_better: bool) -> Alert | None:
    """``[STATUS] Our rank: #3 | Gap to #1: -0.038``; ``mine`` are identities of our names."""
    us = our_entry(now, mine)
    if us is None or us.score is None:
        return None
    rival = next(iter(rivals(now, mine)), None)
    tied = any(other.score == us.score for other in rivals(now, mine))
    rank = f"#{us.rank}" + (" (tied)" if tied else "")
    gap, places = 0.0, decimals(us.score)
    if rival is not None and rival.score is not None:
        gap = lead(us.score, rival.score, higher_is_better=higher_is_better)
        places = decimals(us.score, rival.score)
    if us.rank == 1 and not tied and rival is not None:
        text = f"Our rank: {rank} | Lead over #2: {gap:+.{places}f}"
    else:
        text = f"Our rank: {rank} | Gap to #1: {gap or 0.0:+.{places}f}"
    return alert_line(Level.STATUS, Topic.STANDING, text)


_TOLD = {
    ChangeType.IMPROVED: (Level.ALERT, Topic.OTHERS, "{who} improved on {board}: {step}"),
    ChangeType.WORSENED: (Level.INFO, Topic.OTHERS, "{who} worsened on {board}: {step}"),
    ChangeType.OVERTOOK_US: (
        Level.ALERT,
        Topic.OVERTAKEN,
        "{who} overtook us on {board}: {new} — now ranked #{rank}",
    ),
    ChangeType.TIED: (Level.ALERT, Topic.OURS, "{who} tied with us on {board}: {new} — both ranked #{rank}"),
    ChangeType.RENAMED: (Level.INFO, Topic.OTHERS, "Renamed on {board}: {was} → {who} (score {new} unchanged)"),
    ChangeType.WITHDRAWN: (Level.INFO, Topic.OTHERS, "Withdrawn from {board}: {who} (was #{old_rank} at {old})"),
    ChangeType.CORRECTED: (Level.INFO, Topic.OTHERS, "Corrected on {board}: {who} {step}"),
    ChangeType.METRIC_RESET: (
        Level.ALERT,
        Topic.OTHERS,
        "Metric reset on {board}: best {old} → {new}; entries not compared",
    ),
    ChangeType.VERSION_SWITCHED: (
        Level.ALERT,
        Topic.OTHERS,
        "{board} switched its version: best {old} → {new}; entries not compared",
    ),
}
_TOLD_OF_US = {
    ChangeType.IMPROVED: (Level.INFO, Topic.OURS, "We improved on {board}: {step}"),
    ChangeType.WORSENED: (Level.ALERT, Topic.OURS, "We worsened on {board}: {step}"),
    ChangeType.WITHDRAWN: (
        Level.ALERT,
        Topic.OURS,
        "Our entry {who} is gone from {board} (was #{old_rank} at {old})",
    ),
}


def _line(board: str, change: Change, us: Entry | None, mine: Collection[str], usual: int) -> Alert | None:
    if change.type is ChangeType.WE_OVERTOOK and us is not None:
        return _ahead_of(board, change, us, usual)
    places = max(usual, decimals(change.old, change.new))
    old, new = (None if v is None else f"{v:.{places}f}" for v in (change.old, change.new))
    ours = identity(change.system) in mine
    if change.type is ChangeType.NEW_ENTRANT:
        return _entrant(change, new, us, ours)
    step = f"{old} → {new}"
    if change.old is not None and change.new is not None:
        step += f" ({change.new - change.old:+.{places}f})"
    words = (_TOLD_OF_US if ours else _TOLD).get(change.type, _TOLD.get(change.type))
    if words is None:
        return None
    level, topic, template = words
    ranks = {"rank": change.new_rank, "old_rank": change.old_rank}
    text = template.format(who=change.system, was=change.was, board=board, step=step, old=old, new=new, **ranks)
    return alert_line(level, topic, text)


def _ahead_of(board: str, change: Change, us: Entry, usual: int) -> Alert:
    """We are the subject, so that score and rank are ours."""
    ours = f"{us.score:.{max(usual, decimals(us.score))}f}"
    return alert_line(
        Level.INFO, Topic.OTHERS, f"We overtook {change.system} on {board}: {ours} — now ranked #{us.rank}"
    )


def _tied(board: str, changes: Sequence[Change], us: Entry | None, mine: Collection[str], usual: int) -> list[Alert]:
    """Who is listed ahead of us now by less than the errors of both scores; a lost #1 is an alert all the same."""
    if us is None or us.rank is None:
        return []
    was = next((c.old_rank for c in changes if identity(c.system) in mine and c.old_rank is not None), us.rank)
    close = [c for c in changes if c.type is ChangeType.STATISTICALLY_TIED and identity(c.system) not in mine]
    lines = {}
    for change in close:
        if (change.old_rank or 0) < was or (change.new_rank or us.rank) >= us.rank:
            continue
        places = max(usual, decimals(change.new))
        text = (
            f"{change.system} is listed ahead of us on {board}: {change.new:.{places}f} — statistically tied, "
            f"inside the 95 % interval; we are listed at #{us.rank}, and no urgent sweep starts for a tie"
        )
        level = Level.ALERT if was == 1 else Level.INFO
        lines[identity(change.system)] = alert_line(level, Topic.OURS, text)
    return list(lines.values())


def _entrant(change: Change, new: str | None, us: Entry | None, ours: bool) -> Alert:
    if ours:
        return alert_line(Level.INFO, Topic.OURS, f"We entered at {new} — now ranked #{change.new_rank}")
    text = f"New entrant: {change.system} at {new} — now ranked #{change.new_rank}"
    if us is None or us.rank is None or change.new_rank is None:
        return alert_line(Level.ALERT, Topic.OTHERS, text)
    if change.new_rank == us.rank:
        return alert_line(Level.ALERT, Topic.OURS, f"{text}, tied with us")
    if change.new_rank < us.rank:
        return alert_line(Level.ALERT, Topic.ENTRANT_AHEAD, f"{text}, ahead of us")
    return alert_line(Level.INFO, Topic.OTHERS, f"{text}, behind us")
