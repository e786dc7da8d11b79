"""What a claimed gain is worth by where a hypothesis comes from: claimed against measured by the gate, shrunken.

Measured over claimed is averaged per source and pulled towards the mean over sources, and that towards ``UNKNOWN``,
with the weights of ``research/discount.py``. Claims in the queue are estimates already: what the search and an agent
claim was measured on the search split, what a paper claims was discounted. So one counts in full until the gate has
said what such claims come to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from auto_benchmark.hypotheses.origin import Origin
from auto_benchmark.research.discount import kept_share, shrunken

UNKNOWN = 1.0
"""Expected share of a claim before anything is known."""
LEAST = 0.05
"""Of a source that has kept nothing: its claims still differ among each other."""


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A hypothesis that the gate has judged to the end: its claim, and the improvement that was measured."""

    origin: str
    claimed: float
    measured: float
    promoted: bool


@dataclass(frozen=True, slots=True)
class SourcePrior:
    """Of one source.

    Attributes:
        source: an origin; each agent is one of its own.
        judged: hypotheses with a final verdict.
        promoted: how many of them have the verdict promote or challenger.
        claimed: sum of their claimed gains.
        measured: sum of what the gate measured.
        worth: share of a claimed gain that is to be expected of the next one.
    """

    source: str
    judged: int
    promoted: int
    claimed: float
    measured: float
    worth: float


def priors(judged: Sequence[JudgedClaim]) -> list[SourcePrior]:
    """Every source, with what its judged hypotheses say; one without any has the worth of sources at large.

    There each source counts once, so that a flood of one says little about the others.
    """
    names = sorted({*Origin, *(j.origin for j in judged)})
    own = {name: [j for j in judged if j.origin == name] for name in names}
    overall = shrunken([fmean(found) for name in names if (found := _shares(own[name]))], UNKNOWN)
    return [_prior(name, own[name], overall) for name in names]


def worth_of(origin: str, found: Sequence[SourcePrior]) -> float:
    """What the next claim of ``origin`` counts for; an agent that the gate has not met counts as agents at large."""
    by_name = {prior.source: prior.worth for prior in found}
    return by_name.get(origin, by_name.get(origin.partition(":")[0], UNKNOWN))


def _prior(origin: str, own: Sequence[JudgedClaim], overall: float) -> SourcePrior:
    return SourcePrior(
        origin, len(own), sum(j.promoted for j in own), sum(j.claimed for j in own), sum(j.measured for j in own),
        round(max(LEAST, shrunken(_shares(own), overall)), 4),
    )  # fmt: skip


def _shares(judged: Sequence[JudgedClaim]) -> list[float]:
    return [kept_share(j.claimed, j.measured) for j in judged if j.claimed > 0]
