"""How well predicted probabilities hold: grouped by what was predicted, beside what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.intervals import Interval, rate_interval

EDGES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Groups of predictions, finer where nights of experiments usually lie."""


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """Predictions from ``low`` up to ``high``.

    Attributes:
        predictions: how many.
        predicted: their mean.
        happened: how many of the predicted events came about.
        interval: 95 % interval of the rate at which they do (Clopper & Pearson 1934).
    """

    low: float
    high: float
    predictions: int
    predicted: float
    happened: int
    interval: Interval

    @property
    def holds(self) -> bool:
        """Whether the mean prediction lies in the interval: the data do not contradict it."""
        return self.interval[0] <= self.predicted <= self.interval[1]


@dataclass(frozen=True, slots=True)
class Calibration:
    """All predictions together and by group.

    Attributes:
        whole: over all predictions.
        rows: groups with at least one prediction.
        brier: mean squared difference of prediction and event, 0 is best (Brier 1950).
        brier_of_rate: the same for somebody who always predicts the rate that was observed; a smaller ``brier`` means
            that the predictions tell events apart.
    """

    whole: CalibrationRow
    rows: tuple[CalibrationRow, ...]
    brier: float
    brier_of_rate: float


def calibration(made: Sequence[tuple[float, bool]], edges: Sequence[float] = EDGES) -> Calibration:
    """Compare predicted probabilities with what happened.

    Args:
        made: per prediction the probability and whether the event came about.
        edges: of the groups, from 0 to 1; a probability on an edge belongs to the group above it, 1 to the last.

    Raises:
        NotApplicableError: no predictions, or a probability outside of 0 to 1.
    """
    if not made or not all(0 <= p <= 1 for p, _ in made):
        raise NotApplicableError("a calibration needs predictions between 0 and 1")
    rows = []
    for low, high in pairwise(edges):
        inside = [one for one in made if low <= one[0] < high or one[0] == high == edges[-1]]
        if inside:
            rows.append(_row(inside, low, high))
    whole = _row(made, edges[0], edges[-1])
    rate = whole.happened / len(made)
    return Calibration(
        whole=whole,
        rows=tuple(rows),
        brier=sum((p - happened) ** 2 for p, happened in made) / len(made),
        brier_of_rate=rate * (1 - rate),
    )


def _row(made: Sequence[tuple[float, bool]], low: float, high: float) -> CalibrationRow:
    happened = sum(event for _, event in made)
    mean = sum(p for p, _ in made) / len(made)
    return CalibrationRow(low, high, len(made), mean, happened, rate_interval(happened, len(made)))
