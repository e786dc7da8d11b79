"""Which way of searching fits the size of the gap to #1."""

from __future__ import annotations

from enum import StrEnum


class Strategy(StrEnum):
    """Ways of searching; one module in ``search`` each."""

    FINE = "fine"
    ABLATION = "ablation"
    STRUCTURAL = "structural"


def strategy_for(gap_fraction: float) -> Strategy:
    """Choose by |gap| / |#1's score|: below 1 % fine search, up to 5 % ablation, above that structural change.

    A structural gap is also escalated with a written brief, while everything automatic is still tried.
    """
    if gap_fraction < 0.01:
        return Strategy.FINE
    return Strategy.ABLATION if gap_fraction <= 0.05 else Strategy.STRUCTURAL
