"""``technique_catalog.yaml``: the techniques of the field, by every name that papers give them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from pydantic import Field, StrictStr

from auto_benchmark.documents import Path, Strict
from auto_benchmark.registry.names import Slug


class TechniqueKind(StrEnum):
    """What a technique changes."""

    ARCHITECTURE = "architecture"
    TRAINING = "training"
    DATA = "data"
    INFERENCE = "inference"


class Effort(StrEnum):
    """How much work a change is; the priority score divides by it."""

    LOW = "Low"
    MEDIUM = "Medium"
    HIGH = "High"

    @property
    def score(self) -> int:
        """1, 2 or 3."""
        return {"Low": 1, "Medium": 2, "High": 3}[self.value]


class Technique(Strict):
    """One technique."""

    id: Slug
    name: StrictStr
    kind: TechniqueKind
    effort: Effort
    aliases: list[StrictStr] = []


class TechniqueCatalog(Strict):
    """The whole file."""

    techniques: list[Technique] = Field(min_length=1)

    def problems(self) -> Iterator[tuple[Path, str]]:
        """Ids and names that mean two techniques."""
        taken: dict[str, str] = {}
        ids = [technique.id for technique in self.techniques]
        for i, technique in enumerate(self.techniques):
            if technique.id in ids[:i]:
                yield ("techniques", i, "id"), f"technique {technique.id!r} is declared twice"
            for name in {technique.id, technique.name.casefold(), *(a.casefold() for a in technique.aliases)}:
                if name in taken and taken[name] != technique.id:
                    yield ("techniques", i, "id"), f"{name!r} already means {taken[name]!r}"
                taken[name] = technique.id
