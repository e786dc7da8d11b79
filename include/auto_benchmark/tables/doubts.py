"""Warnings about entries that may be none, and about scores that cannot be."""

from __future__ import annotations

import re
from collections.abc import Sequence

from auto_benchmark.tables.ranking import Scored

_BASELINE = re.compile(r"(?i)^\W*(human|random|majority|chance|frequent|expert human|most frequent)\b")
_SUMMARY = re.compile(r"(?i)^\W*(average|avg|mean|median|total|overall|all)\W*$")
PERCENT, LEAST_PERCENT = 100.0, 10.0
ALIKE = 2.0
"""How far outside of the percentages a share may lie, as a factor, and still be one of them."""
_PERCENT = re.compile(r"%|\bpercent(age)?\b", re.IGNORECASE)


def baselines(entries: Sequence[Scored]) -> list[str]:
    """A warning when names look like human or chance baselines or summary rows, which are not competitors."""
    found = [e.system for e in entries if _BASELINE.search(e.system) or _SUMMARY.search(e.system)]
    if not found:
        return []
    return [f"may be baselines: {', '.join(map(repr, found[:5]))}; `exclude: {{rows: …}}` leaves them out"]


def two_notations(entries: Sequence[Scored]) -> tuple[Scored, Scored] | None:
    """A score that looks like a share and one that looks like percent, where they stand in one column; else None.

    A percentage below 1 is possible, but then others lie between it and 10, or it lies far from all others as a share.
    """
    scored = sorted((e for e in entries if e.score is not None), key=lambda e: e.score or 0.0)
    values = [e.score for e in scored if e.score is not None]
    if not values or values[0] < 0 or values[-1] > PERCENT or any(1 < value < LEAST_PERCENT for value in values):
        return None
    shares, percents = [v for v in values if 0 < v <= 1], [v for v in values if v > 1]
    if not shares or not percents:
        return None
    if any(not percents[0] / ALIKE <= PERCENT * share <= percents[-1] * ALIKE for share in shares):
        return None
    return next(e for e in scored if e.score in shares), scored[-1]


def above_hundred(entries: Sequence[Scored], metric: str, unit: str) -> list[str]:
    """A warning when a percentage is above 100."""
    if unit != "%" and not _PERCENT.search(metric):
        return []
    found = [e for e in entries if e.score is not None and e.score > 100]
    if not found:
        return []
    return [f"suspect: {found[0].system} has {found[0].score:g} % and {len(found)} percentages are above 100"]
