"""From reported gains to expected impact, and from impact and effort to a priority."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from auto_benchmark.registry.technique_catalog import Effort
from auto_benchmark.research.gains import Gain, GainUnit
from auto_benchmark.research.lexicon import RESOURCE

LOW_BELOW, HIGH_ABOVE = 1.0, 3.0
"""Percent: below the first an impact is Low, above the second High."""


class Impact(StrEnum):
    """Expected effect on our score."""

    LOW = "Low"
    MEDIUM = "Medium"
    HIGH = "High"

    @property
    def score(self) -> int:
        """1, 2 or 3."""
        return {"Low": 1, "Medium": 2, "High": 3}[self.value]


def impact_of(percent: float | None) -> Impact:
    """Low below 1 %, Medium from 1 to 3 %, High above 3 %; Low where no gain is reported."""
    if percent is None or percent < LOW_BELOW:
        return Impact.LOW
    return Impact.HIGH if percent > HIGH_ABOVE else Impact.MEDIUM


def reported_percent(gains: Sequence[Gain], boards: Sequence[str] = ()) -> float | None:
    """The one number that a paper's gains in quality come down to, in percent; None where it reports none.

    Gains on a target leaderboard speak first; otherwise the median does, so that one lucky benchmark out of ten does
    not. Savings of time, memory and money are no gain in score and do not count.
    """
    quality = [gain for gain in gains if not is_saving(gain)]
    on_target = [gain for gain in quality if boards and _names_any(gain, boards)]
    sizes = [_percent(gain) for gain in on_target or quality]
    return statistics.median(sizes) if sizes else None


def is_saving(gain: Gain) -> bool:
    """Whether a gain is in speed, memory or cost rather than in score."""
    metric = (gain.metric or "").lower()
    if (
        metric == "speed"
        or RESOURCE.fullmatch(metric)
        or re.search(
            r"\b(?:time|latency|cost|memory|speed|flops|parameters?|throughput|compression|storage|energy)\b", metric
        )
    ):
        return True
    return gain.unit is GainUnit.FOLD and not metric


def _percent(gain: Gain) -> float:
    return (gain.value - 1) * 100 if gain.unit is GainUnit.FOLD else gain.value


def _names_any(gain: Gain, boards: Sequence[str]) -> bool:
    said = _bare(f"{gain.benchmark or ''} {gain.sentence}")
    return any(_bare(board) in said for board in boards)


@lru_cache(maxsize=1024)
def _bare(text: str) -> str:
    return "".join(re.findall(r"\w+", text)).lower()


def priority_of(impact: Impact, effort: Effort) -> float:
    """Impact x 1 / effort, from 1/3 (Low, High) to 3 (High, Low)."""
    return round(impact.score / effort.score, 4)


MOST_ATTENTION = 0.25
"""What being cited can add to a priority: enough to order equal claims, never enough to lift Low over Medium."""


def with_attention(priority: float, citations: int | None, years: float) -> float:
    """A paper's priority with what others make of it: 5 % for each doubling of its citations a year, 25 % at most.

    Args:
        priority: by claim and effort.
        citations: how often it is cited; None where no service knows.
        years: since it appeared.
    """
    if not citations:
        return priority
    a_year = citations / max(years, 0.5)
    return round(priority * (1 + min(MOST_ATTENTION, 0.05 * math.log2(1 + a_year))), 4)
