"""Programs with planted weaknesses. They hold the keys and err as declared, so that the instrument can be checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auto_benchmark.construction.candidate import Candidate, Kind, Solved
from auto_benchmark.construction.dice import dice
from auto_benchmark.construction.item import Asked, Item

WRONG = "no answer of any form"


@dataclass(frozen=True, slots=True)
class Planted:
    """Right with probability ``skill`` on the easiest items, less by ``slope`` on the hardest.

    Attributes:
        skill: share of easy items that it gets right.
        slope: what is lost at the highest values of all numeric parameters.
    """

    name: str
    skill: float
    slope: float = 0.0
    version: str = "1"
    kind: Kind = Kind.PLANTED
    modalities: frozenset[str] = frozenset({"text", "picture", "sound"})
    sources: frozenset[str] = frozenset()

    def answer(self, asked: Sequence[Asked], examples: Sequence[Solved]) -> Sequence[object]:
        """Without keys it knows nothing."""
        return [None] * len(asked)

    def answer_items(self, items: Sequence[Item]) -> Sequence[object]:
        """The key or nonsense, as fixed by the item's id."""
        return [item.answer if dice(self.name, item.id).random() < self._chance(item) else WRONG for item in items]

    def _chance(self, item: Item) -> float:
        numbers = [value for value in item.params.values() if isinstance(value, int)]
        load = sum(numbers) / (10 * len(numbers)) if numbers else 0.5
        return self.skill - self.slope * min(load, 1.0)


PLANTED: tuple[Candidate, ...] = tuple(
    Planted(f"planted_{i}", skill=0.95 - 0.05 * i, slope=0.2 + 0.1 * (i % 4)) for i in range(10)
)
