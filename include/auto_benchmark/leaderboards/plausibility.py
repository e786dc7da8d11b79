"""Can this snapshot be true? What looks impossible is kept apart until a person or the next snapshot settles it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from auto_benchmark.leaderboards.matching import match
from auto_benchmark.leaderboards.reset import board_changed
from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.naming import identity
from auto_benchmark.tables.ranking import Scored

LARGEST_LOSS = 0.5
"""Share of the entries that may vanish between two snapshots."""
LARGEST_JUMP = 5.0
"""Factor by which one entry's score may change between two snapshots."""
TOP = 3
"""Ranks whose rows must be readable."""
_BASELINE = re.compile(r"(?i)^\W*(human|random|majority|chance|frequent|expert human|most frequent)\b")
_SUMMARY = re.compile(r"(?i)^\W*(average|avg|mean|median|total|overall|all)\W*$")
_PERCENT = re.compile(r"%|\bpercent(age)?\b", re.IGNORECASE)


def baselines(entries: Sequence[Scored]) -> list[str]:
    """A warning when names look like human or chance baselines or summary rows, which are no competitors."""
    found = [e.system for e in entries if _BASELINE.search(e.system) or _SUMMARY.search(e.system)]
    if not found:
        return []
    return [f"may be baselines: {', '.join(map(repr, found[:5]))}; `exclude: {{rows: …}}` leaves them out"]


def above_hundred(entries: Sequence[Scored], metric: str, unit: str) -> list[str]:
    """A warning when a percentage is above 100."""
    if unit != "%" and not _PERCENT.search(metric):
        return []
    found = [e for e in entries if e.score is not None and e.score > 100]
    if not found:
        return []
    return [f"suspect: {found[0].system} has {found[0].score:g} % and {len(found)} percentages are above 100"]


def suspicions(
    old: Sequence[Entry],
    new: Sequence[Entry],
    *,
    warnings: Sequence[str] = (),
    whole_board: bool | None = None,
    aliases: Mapping[str, str] | None = None,
) -> list[str]:
    """Why the new snapshot belongs into quarantine; empty when it is plausible.

    Args:
        old: entries of the last good snapshot, empty at the first.
        new: entries of the new one.
        warnings: the reader's; those that begin with ``suspect`` count.
        whole_board: the board itself changed its metric or version, which explains losses and jumps; found out when
            not given.
        aliases: other name -> canonical name of competitors.
    """
    found = [w for w in warnings if w.startswith("suspect")] + _unread(old, warnings)
    before, after = len(old), len(new)
    if whole_board is None:
        whole_board = board_changed(match(old, new, aliases).same, len(old), len(new)) is not None
    if whole_board:
        return found
    if before and after < before * LARGEST_LOSS:
        found.append(f"suspect: {before - after} of {before} entries are gone, more than half")
    return found + _jumps(old, new)


def _unread(old: Sequence[Entry], warnings: Sequence[str]) -> list[str]:
    """A few rows may be unreadable, but not those of the top: another system would be told to lead."""
    rejected = [w for w in warnings if w.startswith("rejected")]
    lost = [e for e in old[:TOP] if any(f"({e.system[:n]})" in w for w in rejected for n in (40, 60))]
    return [f"suspect: the row of {e.system}, last at rank {e.rank}, could not be read" for e in lost]


def _jumps(old: Sequence[Entry], new: Sequence[Entry]) -> list[str]:
    before = {identity(e.system): e.score for e in old if e.score}
    jumps = []
    for entry in new:
        score, last = entry.score, before.get(identity(entry.system))
        if not score or not last or score * last < 0:
            continue
        if max(abs(score / last), abs(last / score)) > LARGEST_JUMP:
            jumps.append((entry.system, last, score))
    if not jumps:
        return []
    system, last, score = jumps[0]
    return [f"suspect: {system} went from {last:g} to {score:g}, more than {LARGEST_JUMP:g}-fold ({len(jumps)} such)"]
