"""What a claimed gain is worth by where a hypothesis comes from: claimed against measured by the gate, shrunken.

Measured over claimed is averaged per source and pulled towards the mean of all sources, and that towards ``PRIOR``, as
claims of papers are (``research/discount.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from auto_benchmark.research.discount import PRIOR, kept_share, shrunken
from auto_benchmark.research.log import citation_in


class Origin(StrEnum):
    """Who or what a hypothesis comes from; in doubt a person."""

    AGENT = "agent"
    PAPER = "paper"
    PERSON = "person"
    SEARCH = "search"


@dataclass(frozen=True, slots=True)
class Judged:
    """A hypothesis that the gate has judged to the end: its claim, and the improvement that was measured."""

    source: str
    claimed: float
    measured: float
    promoted: bool


@dataclass(frozen=True, slots=True)
class SourcePrior:
    """Of one source.

    Attributes:
        judged: hypotheses with a final verdict.
        promoted: how many of them have the verdict promote or challenger.
        claimed: sum of their claimed gains.
        measured: sum of what the gate measured.
        worth: share of a claimed gain that is to be expected of the next one.
    """

    source: Origin
    judged: int
    promoted: int
    claimed: float
    measured: float
    worth: float


def origin_of(source: str) -> Origin:
    """By the words in which the loop names its sources; a person may write anything else."""
    if source.startswith("agent "):
        return Origin.AGENT
    if citation_in(source) is not None:
        return Origin.PAPER
    return Origin.SEARCH if " search + gap analysis" in source else Origin.PERSON


def priors(judged: Sequence[Judged]) -> list[SourcePrior]:
    """Every source, with what its judged hypotheses say; one without any has the worth of all others together."""
    overall = shrunken(_shares(judged), PRIOR)
    return [_prior(origin, [j for j in judged if origin_of(j.source) is origin], overall) for origin in Origin]


def _prior(origin: Origin, own: Sequence[Judged], overall: float) -> SourcePrior:
    return SourcePrior(
        origin, len(own), sum(j.promoted for j in own), sum(j.claimed for j in own), sum(j.measured for j in own),
        max(0.0, shrunken(_shares(own), overall)),
    )  # fmt: skip


def _shares(judged: Sequence[Judged]) -> list[float]:
    return [kept_share(j.claimed, j.measured) for j in judged if j.claimed > 0]
