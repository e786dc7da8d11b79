"""Can this snapshot be true? What looks impossible is kept apart until a person or the next snapshot settles it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auto_benchmark.leaderboards.matching import match
from auto_benchmark.leaderboards.notation import in_notation_of
from auto_benchmark.leaderboards.reset import board_changed
from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.naming import identity

LARGEST_LOSS = 0.5
"""Share of the entries that may vanish between two snapshots."""
LARGEST_JUMP = 5.0
"""Factor by which one entry's score may change between two snapshots."""
FEWEST = 3
"""Systems that do not get one and the same score from one day to the next."""
TOP = 3
"""Ranks whose rows must be readable."""


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
    found += _one_score(old, new)
    old = in_notation_of(old, new)
    before, after = len(old), len(new)
    if whole_board is None:
        whole_board = board_changed(match(old, new, aliases).same, len(old), len(new)) is not None
    if whole_board:
        return found
    if before and after < before * LARGEST_LOSS:
        found.append(f"suspect: {before - after} of {before} entries are gone, more than half")
    return found + _jumps(old, new)


def _unread(old: Sequence[Entry], warnings: Sequence[str]) -> list[str]:
    """A few rows may be unreadable, but not those of the top: another system would be reported as leading."""
    rejected = [w for w in warnings if w.startswith("rejected")]
    lost = [e for e in old[:TOP] if any(f"({e.system[:n]})" in w for w in rejected for n in (40, 60))]
    return [f"suspect: the row of {e.system}, last at rank {e.rank}, could not be read" for e in lost]


def _one_score(old: Sequence[Entry], new: Sequence[Entry]) -> list[str]:
    """A competition does not lose all its scores at once: systems that differed are all given one number."""
    before = {identity(e.system): e.score for e in old if e.score is not None}
    after = {identity(e.system): e.score for e in new if e.score is not None}
    both = before.keys() & after.keys()
    if len(both) < FEWEST or len({before[name] for name in both}) == 1 or len(set(after.values())) > 1:
        return []
    return [f"suspect: all {len(after)} systems have the score {next(iter(after.values())):g}"]


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
