"""The level of the next hypothesis: a constant, or what a project's alpha wealth grants."""

from __future__ import annotations

from collections.abc import Iterable

from auto_benchmark.promotion.decision import Verdict
from auto_benchmark.promotion.gate import ALPHA
from auto_benchmark.stats.alpha_wealth import Wealth, wealth

DISCOVERIES = frozenset({Verdict.PROMOTE, Verdict.CHALLENGER})


def project_wealth(verdicts: Iterable[Verdict]) -> Wealth:
    """Wealth after a project's last verdict per hypothesis, in the order in which they became final.

    Verdicts that are not final spend nothing and are skipped: their hypothesis is still open or was never tested.
    """
    return wealth([verdict in DISCOVERIES for verdict in verdicts if verdict.is_final])


def next_level(policy: str, verdicts: Iterable[Verdict]) -> float:
    """One-sided ``alpha`` for the gate; fix it before a hypothesis' first look and keep it for all of its looks."""
    return project_wealth(verdicts).next_level if policy == "sequential_wealth" else ALPHA
