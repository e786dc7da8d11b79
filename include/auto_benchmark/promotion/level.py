"""The level of the next hypothesis: a constant, or what its source's share of the project's alpha wealth grants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from auto_benchmark.promotion.gate import ALPHA
from auto_benchmark.promotion.schema import Verdict
from auto_benchmark.stats.alpha_wealth import LevelSpent, Wealth, remaining, shared_wealth, wealth

DISCOVERIES = frozenset({Verdict.PROMOTE, Verdict.CHALLENGER})


@dataclass(frozen=True, slots=True)
class EndedHypothesis:
    """The last verdict on a hypothesis, the level at which it fell, and where the hypothesis came from."""

    origin: str
    verdict: Verdict
    level: float


@dataclass(frozen=True, slots=True)
class Purse:
    """What the sources of a project may spend.

    Attributes:
        parts: origin -> its part of the whole; an agent without an entry counts as ``agent``.
        spent: hypotheses with a final verdict, in the order in which these fell, each under the origin whose part
            it was charged to.
    """

    parts: Mapping[str, float]
    spent: Sequence[LevelSpent]

    @classmethod
    def after(cls, ended: Iterable[EndedHypothesis], parts: Mapping[str, float]) -> Purse:
        """After a project's verdicts. Those that are not final spend nothing: their hypothesis is still open."""
        spent = [
            LevelSpent(charged_to(one.origin, parts), one.level, one.verdict in DISCOVERIES)
            for one in ended
            if one.verdict.is_final
        ]
        return cls(parts, spent)

    def of(self, origin: str) -> Wealth:
        """What one source may spend."""
        source = charged_to(origin, self.parts)
        return shared_wealth(self.spent, source, self.parts[source])

    @property
    def remaining(self) -> float:
        """What is left of the whole."""
        return remaining(self.spent)


def charged_to(origin: str, parts: Mapping[str, float]) -> str:
    """Whose part a hypothesis spends."""
    return origin if origin in parts else origin.partition(":")[0]


def project_wealth(verdicts: Iterable[Verdict]) -> Wealth:
    """Wealth where one source has everything; verdicts that are not final spend nothing and are skipped."""
    return wealth([verdict in DISCOVERIES for verdict in verdicts if verdict.is_final])


def next_level(policy: str, verdicts: Iterable[Verdict]) -> float:
    """One-sided ``alpha`` for the gate; fix it before a hypothesis' first look and keep it for all of its looks."""
    return project_wealth(verdicts).next_level if policy == "sequential_wealth" else ALPHA
