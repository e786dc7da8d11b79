"""``competitive_registry.yaml``: one project, its boards, its competitors and our solution."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Annotated

from pydantic import BeforeValidator, Field, StrictStr

from auto_benchmark.documents import Document, Path, Strict
from auto_benchmark.errors import Fault
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.registry.names import Name, Number, Positive, Slug


def _no_number(value: object) -> object:
    """A number would mean seconds since 1970, which is never meant in a registry."""
    if isinstance(value, bool | int | float):
        raise ValueError(f"should be a date, YYYY-MM-DD, is {value!r}")
    return value


class Competitor(Strict):
    """A score declared by hand or observed; observations win over declarations."""

    name: Name
    latest_score: Number
    source: Name
    last_updated: Annotated[date | datetime, BeforeValidator(_no_number)]


class OurSolution(Strict):
    """What we enter: its name on the boards, the solution folder behind it, and what counts as better.

    Attributes:
        benchmark: that the loop measures it on now; by default that of the board adopted last, else the solution's own.
    """

    name: Name
    aliases: list[Name] = []
    solution: Slug | None = None
    benchmark: Slug | None = None
    current_scores: dict[Name, Number] = {}
    promotion_threshold: Positive = 0.005


class CompetitiveRegistry(Strict):
    """One project."""

    domain: StrictStr
    target_leaderboards: list[Leaderboard] = Field(min_length=1)
    competitors: list[Competitor] = []
    our_solution: OurSolution

    def problems(self) -> Iterator[tuple[Path, str]]:
        """Names that are declared twice or point nowhere."""
        boards = [board.name for board in self.target_leaderboards]
        for i, name in enumerate(boards):
            if name in boards[:i]:
                yield ("target_leaderboards", i, "name"), f"leaderboard {name!r} is declared twice"
        ours = {self.our_solution.name, *self.our_solution.aliases}
        for i, board in enumerate(self.target_leaderboards):
            for name, others in board.aliases.items():
                if found := ours.intersection((name, *others)):
                    yield ("target_leaderboards", i, "aliases", name), f"{found.pop()!r} is our own name"
        seen: set[tuple[str, str]] = set()
        for i, competitor in enumerate(self.competitors):
            if competitor.source not in boards:
                yield ("competitors", i, "source"), f"no leaderboard is called {competitor.source!r}"
            if (competitor.name, competitor.source) in seen:
                yield (
                    ("competitors", i, "name"),
                    f"{competitor.name!r} is declared twice for {competitor.source!r}",
                )
            seen.add((competitor.name, competitor.source))
            if competitor.name in ours:
                yield ("competitors", i, "name"), f"{competitor.name!r} is our own name"
        for name in self.our_solution.current_scores:
            if name not in boards:
                yield ("our_solution", "current_scores", name), f"no leaderboard is called {name!r}"

    def board(self, name: str) -> Leaderboard:
        """The leaderboard called ``name``. Raises KeyError."""
        for board in self.target_leaderboards:
            if board.name == name:
                return board
        raise KeyError(name)

    def promotion_threshold(self, board: Leaderboard) -> float:
        """Smallest improvement worth a promotion on ``board``, absolute, in its metric's unit."""
        return board.promotion_threshold or self.our_solution.promotion_threshold


def warnings(registry: CompetitiveRegistry, document: Document) -> list[Fault]:
    """What is legal but probably not meant."""
    found = []
    for i, board in enumerate(registry.target_leaderboards):
        if message := board.direction_warning():
            path: Path = ("target_leaderboards", i, "higher_is_better")
            found.append(Fault(document.file, document.line_of(path), f"target_leaderboards[{i}]", message))
        if message := board.items_warning():
            line = document.line_of(("target_leaderboards", i, "items"))
            found.append(Fault(document.file, line, f"target_leaderboards[{i}].items", message))
    return found
