"""What a claimed gain is worth here: past claims against what trials then measured, shrunken towards the whole.

Realised over claimed is averaged per technique, per source and over the rest; a tested claim counts on one of these
levels. Few observations say little, so each mean is pulled towards the level above it with the weight of
``PRIOR_WEIGHT`` observations (the shrinkage of a normal mean with known variances; Efron and Morris, 1975): technique
towards source, source towards the rest, the rest towards ``PRIOR``.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

PRIOR = 0.3
"""Expected share of a claimed gain before anything is known: it was measured elsewhere, on other baselines."""
PRIOR_WEIGHT = 4.0
LOWEST, HIGHEST = -1.0, 2.0
"""A single past claim counts within these bounds: a tiny claim must not give a huge ratio."""


def kept_share(claimed: float, measured: float) -> float:
    """Measured over claimed, within bounds; ``claimed`` is positive."""
    return min(max(measured / claimed, LOWEST), HIGHEST)


@dataclass(frozen=True, slots=True)
class PastClaim:
    """A claim that was tested: who made it, about what, how much was claimed and measured (same unit)."""

    source: str
    technique: str
    claimed: float
    realised: float

    @property
    def ratio(self) -> float:
        """Realised over claimed, within bounds."""
        return kept_share(self.claimed, self.realised)


@dataclass(frozen=True, slots=True)
class Discount:
    """Factor on a claimed gain, never negative, and how it came about in words."""

    factor: float
    reason: str


def discount(past: Sequence[PastClaim], source: str, technique: str) -> Discount:
    """The factor for a claim of ``source`` about ``technique``."""
    usable = [claim for claim in past if claim.claimed > 0]
    of_technique = [claim for claim in usable if claim.technique == technique]
    of_source = [claim for claim in usable if claim.source == source and claim.technique != technique]
    others = [claim for claim in usable if claim.source != source and claim.technique != technique]
    overall = shrunken([c.ratio for c in others], PRIOR)
    by_source = shrunken([c.ratio for c in of_source], overall)
    factor = max(0.0, shrunken([c.ratio for c in of_technique], by_source))
    if not usable:
        return Discount(factor, f"no claim was tested yet: {factor:.2f} of it is assumed")
    parts = [
        f"{len(of_technique)} about {technique}",
        f"{len(of_source)} others from {source}",
        f"{len(others)} others",
    ]
    return Discount(
        factor, f"{factor:.2f} of a claim held up, shrunken over {', '.join(parts)} of {len(usable)} tested claims"
    )


def shrunken(ratios: Sequence[float], towards: float) -> float:
    """Mean of the ratios, with ``towards`` counted as often as ``PRIOR_WEIGHT`` says; ``towards`` where there are none."""
    n = len(ratios)
    return towards if n == 0 else (n * statistics.fmean(ratios) + PRIOR_WEIGHT * towards) / (n + PRIOR_WEIGHT)
