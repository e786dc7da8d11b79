"""Have we won? Rank, lead, and for how long both have held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auto_benchmark.leaderboards.standing import Standing
from auto_benchmark.registry.leaderboard import Victory


@dataclass(frozen=True, slots=True)
class VictoryStatus:
    """How a board stands against its victory condition.

    Attributes:
        rank_held: we hold the wanted rank now.
        gap_held: our lead over #2 is large enough now (asked of #1 only).
        lead_fraction: lead over #2 as a fraction of #1's score; None when we are not #1.
        cycles: newest cycles in a row in which both held.
        achieved: both held for long enough.
        text: all of it in a line.
    """

    rank_held: bool
    gap_held: bool
    lead_fraction: float | None
    cycles: int
    achieved: bool
    text: str


def evaluate(condition: Victory, standings: Sequence[Standing], *, higher_is_better: bool) -> VictoryStatus:
    """Hold the last cycles against the condition.

    Args:
        condition: wanted rank, lead and duration.
        standings: one per cycle, oldest first. A cycle whose board was stale does not count: leave it out.
        higher_is_better: direction of the metric.
    """
    if not standings:
        return VictoryStatus(False, False, None, 0, False, "never read")
    cycles = 0
    for standing in reversed(standings):
        if not all(_held(condition, standing, higher_is_better)):
            break
        cycles += 1
    rank_held, gap_held = _held(condition, standings[-1], higher_is_better)
    lead = _lead(standings[-1], higher_is_better)
    achieved = cycles >= condition.sustained_cycles
    rank = "not listed" if standings[-1].our_rank is None else f"#{standings[-1].our_rank}"
    text = f"{rank}, wanted #{condition.absolute_rank}"
    if lead is not None:
        text += f"; lead {lead:.2%}, wanted {condition.relative_gap:.2%}"
    text += f"; held {cycles} of {condition.sustained_cycles} cycles"
    return VictoryStatus(rank_held, gap_held, lead, cycles, achieved, text)


def _held(condition: Victory, standing: Standing, higher_is_better: bool) -> tuple[bool, bool]:
    rank_held = standing.our_rank is not None and standing.our_rank <= condition.absolute_rank
    if condition.absolute_rank > 1:
        return rank_held, True
    lead = _lead(standing, higher_is_better)
    return rank_held, lead is not None and lead >= condition.relative_gap


def _lead(standing: Standing, higher_is_better: bool) -> float | None:
    """Lead over #2 as a fraction of #1's score; infinite when we are alone."""
    if not standing.leads or standing.our_score is None:
        return None
    if standing.runner_up_score is None:
        return float("inf")
    ahead = standing.gap(higher_is_better=higher_is_better) or 0.0
    return ahead / abs(standing.our_score) if standing.our_score else 0.0
