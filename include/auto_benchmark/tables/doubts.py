"""Warnings about entries that may be none, and about scores that cannot be."""

from __future__ import annotations

import re
from collections.abc import Sequence

from auto_benchmark.tables.ranking import Scored

_BASELINE = re.compile(r"(?i)^\W*(human|random|majority|chance|frequent|expert human|most frequent)\b")
_SUMMARY = re.compile(r"(?i)^\W*(average|avg|mean|median|total|overall|all)\W*$")
_PERCENT = re.compile(r"%|\bpercent(age)?\b", re.IGNORECASE)


def baselines(entries: Sequence[Scored]) -> list[str]:
    """A warning when names look like human or chance baselines or summary rows, which are not competitors."""
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
