"""What the gate can show on a board and what a night is likely to promote; the shape that ``check --json`` prints."""

from __future__ import annotations

from auto_benchmark.documents import Strict
from auto_benchmark.registry.names import Number
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.looks import CAP
from auto_benchmark.stats.simulation.night import Night, items_reaching, outlook

NOT_SIMULATED = "guards hold and P(#1) suffices; neither is simulated"


class Prospect(Strict):
    """A prediction for one board, in the benchmark's unit.

    Attributes:
        unknown: why nothing can be predicted; every number is None then.
        items: of the gate; None where results have none.
        seeds: at the gate's last look.
        noise: standard deviation of one trial between seeds.
        smallest_effect: true gain that becomes significant with probability 0.8.
        threshold_reached: whether a gain of the threshold's size does.
        at_threshold: probability that it does.
        items_needed: gate items with which the threshold would be reached; None where it is, or where the noise between
            seeds alone is too large.
        hypotheses, trials: that a night tests and pays.
        night_promotes: probability that a night promotes something.
        assumptions: where the numbers come from.
    """

    project: str
    board: str
    metric: str
    threshold: Number
    unknown: str | None = None
    items: int | None = None
    seeds: int = CAP
    noise: Number | None = None
    smallest_effect: Number | None = None
    threshold_reached: bool | None = None
    at_threshold: Number | None = None
    items_needed: int | None = None
    hypotheses: int | None = None
    trials: int | None = None
    night_promotes: Number | None = None
    assumptions: list[str] = []


def prospect(
    night: Night, *, project: str, board: str, metric: str, items: int | None, assumptions: list[str]
) -> Prospect:
    """Predict for one board, with the assumptions in words."""
    try:
        found = outlook(night)
    except NotApplicableError as error:
        return Prospect(project=project, board=board, metric=metric, threshold=night.threshold, unknown=str(error))
    reached = found.reaches(night.threshold)
    return Prospect(
        project=project,
        board=board,
        metric=metric,
        threshold=night.threshold,
        items=items,
        noise=_rounded(night.sd),
        smallest_effect=_rounded(found.smallest_effect),
        threshold_reached=reached,
        at_threshold=round(found.at_threshold, 3),
        items_needed=None if reached or not items else items_reaching(night, items),
        hypotheses=night.hypotheses,
        trials=night.trials,
        night_promotes=round(found.promotes, 3),
        assumptions=[*assumptions, NOT_SIMULATED],
    )


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")
