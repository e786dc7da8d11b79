"""The unit of a board's scores against that of its benchmark: either may write a share as percent."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from statistics import median

from auto_benchmark.leaderboards.notation import PERCENT, are_percent, are_shares
from auto_benchmark.registry.leaderboard import HIGHER_IS_BETTER_WORDS

FAR = 20.0
"""Ratio of a board's median to our measurement from which they are hardly one metric."""


class Unit(StrEnum):
    """How a share is written."""

    SHARE = "share"
    PERCENT = "percent"


def declared_unit(text: str | None) -> Unit | None:
    """What a registry says; None where it says nothing about shares."""
    words = {"share": Unit.SHARE, "percent": Unit.PERCENT, "%": Unit.PERCENT}
    return words.get((text or "").strip().lower())


def unit_factor(
    scores: Sequence[float], measured: float | None, *, metric: str, declared: Unit | None = None,
    of_benchmark: Unit | None = None, higher_is_better: bool = True,
) -> float:  # fmt: skip
    """What a measurement is multiplied by to stand in the board's unit: 1, 100 or 0.01.

    Args:
        scores: the board's.
        measured: ours, of the metric that stands for the board; None before the first measurement.
        metric: the benchmark's name for it.
        declared: the board's unit, where it is declared; else it is found by its scores.
        of_benchmark: the benchmark's, where it is declared; else it is found by our measurement and the metric's name.
        higher_is_better: direction of the metric; a loss above 1 is not a percentage.
    """
    of_board = declared or (Unit.PERCENT if are_percent(scores) else Unit.SHARE if are_shares(scores) else None)
    ours = of_benchmark or _unit_of(measured, metric, higher_is_better=higher_is_better)
    if of_board is None or ours is None or of_board is ours:
        return 1.0
    return PERCENT if ours is Unit.SHARE else 1 / PERCENT


def mismatch(scores: Sequence[float], measured: float | None, factor: float) -> str | None:
    """Why board and benchmark can hardly measure the same thing; None where they may."""
    if not scores or not measured or not (middle := median(scores)):
        return None
    ratio = abs(middle / (measured * factor))
    if 1 / FAR <= ratio <= FAR:
        return None
    return (
        f"its scores ({min(scores):g} to {max(scores):g}) are in another unit than our measurement ({measured:g}), or "
        "of another metric; give the board `unit: share` or `unit: percent`, or name another metric in benchmark.yaml"
    )


def _unit_of(measured: float | None, metric: str, *, higher_is_better: bool) -> Unit | None:
    is_known = HIGHER_IS_BETTER_WORDS.search(metric.replace("_", " ")) is not None
    if measured is None:
        return Unit.SHARE if is_known else None
    if 0 <= measured <= 1 and (is_known or higher_is_better):
        return Unit.SHARE
    return Unit.PERCENT if is_known and 1 < measured <= PERCENT else None
