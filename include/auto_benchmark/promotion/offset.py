"""From our gate's score to the board's: the offset learned from past submissions.

Our score on the gate split and a competitor's published maximum are unlike numbers. Each submission shows one
difference; the next one is predicted with Student's predictive interval, mean +- t sd sqrt(1 + 1 / k).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from pydantic import Field

from auto_benchmark.documents import Strict
from auto_benchmark.registry.names import NotNegative, Number


class Offset(Strict):
    """Board score minus local score.

    Attributes:
        mean: over past submissions.
        sd: between submissions; 0 with a single one, where only ``mean`` is known.
        n: number of submissions.
    """

    mean: Number
    sd: NotNegative
    n: int = Field(ge=1)


def learn(submissions: Sequence[tuple[float, float]]) -> Offset | None:
    """Offset from (local score, board score) of past submissions to one board; None without any."""
    differences = np.array([board - local for local, board in submissions if math.isfinite(board - local)])
    if differences.size == 0:
        return None
    sd = float(differences.std(ddof=1)) if differences.size > 1 else 0.0
    return Offset(mean=float(differences.mean()), sd=sd, n=int(differences.size))
