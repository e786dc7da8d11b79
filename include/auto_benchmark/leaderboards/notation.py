"""A share is written as 0.905 or as 90.5 %; a board that changes from one to the other has not changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from auto_benchmark.leaderboards.alerts import usual_decimals
from auto_benchmark.tables.entry import Entry
from auto_benchmark.tables.naming import identity

PERCENT = 100.0
FEWEST = 2
"""Systems on both readings that it takes to know another notation."""
MOST = 0.8
"""Share of them that must show the same score in both."""
CLOSE = 0.005
"""Relative difference that rounding explains."""


def notation_factor(old: Sequence[Entry], new: Sequence[Entry]) -> float:
    """What the old scores are multiplied by to stand in the notation of the new ones: 1, 100 or 0.01."""
    before = {identity(e.system): e.score for e in old if e.score is not None}
    after = {identity(e.system): e.score for e in new if e.score is not None}
    if are_shares(before.values()) and are_percent(after.values()):
        factor = PERCENT
    elif are_percent(before.values()) and are_shares(after.values()):
        factor = 1 / PERCENT
    else:
        return 1.0
    pairs = [(before[name], after[name]) for name in before.keys() & after.keys()]
    same = sum(1 for a, b in pairs if abs(a * factor - b) <= CLOSE * abs(b))
    return factor if len(pairs) >= FEWEST and same >= MOST * len(pairs) else 1.0


def in_notation_of(old: Sequence[Entry], new: Sequence[Entry]) -> list[Entry]:
    """The old entries as the new reading writes them; a score that is the same but for rounding is the new one."""
    factor = notation_factor(old, new)
    if factor == 1.0:
        return list(old)
    shift = 2 if factor < 1 else -2
    places = max(0, min(usual_decimals(new), usual_decimals(old) + shift))
    now = {identity(e.system): e.score for e in new}
    return [_rewritten(entry, factor, now.get(identity(entry.system)), places) for entry in old]


def are_shares(scores: Iterable[float]) -> bool:
    """All in [0, 1]."""
    found = list(scores)
    return bool(found) and all(0 <= score <= 1 for score in found)


def are_percent(scores: Iterable[float]) -> bool:
    """All in [0, 100], and most of them no shares."""
    found = list(scores)
    return bool(found) and all(0 <= score <= PERCENT for score in found) and median(found) > 1


def _rewritten(entry: Entry, factor: float, shown: float | None, places: int) -> Entry:
    if entry.score is None:
        return entry
    score = entry.score * factor
    if shown is not None and abs(score - shown) <= 0.5 * 10.0**-places + 1e-9:
        score = shown
    stderr = None if entry.stderr is None else entry.stderr * factor
    return entry.model_copy(update={"score": score, "stderr": stderr})
