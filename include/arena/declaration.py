"""What an arena is made of: ``boards/*.yaml`` and ``competitors.yaml``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from auto_benchmark import documents
from auto_benchmark.documents import Strict
from auto_benchmark.errors import ConfigError, Fault, InputError
from auto_benchmark.registry.benchmark import Benchmark
from auto_benchmark.registry.names import Count, Name, NotNegative, Slug
from auto_benchmark.registry.solution import Params, Solution


class Appearance(Strict):
    """When an entrant is published.

    Attributes:
        after_submissions: once the board has accepted so many submissions.
        delay_s: and so many seconds have passed since.
    """

    after_submissions: int = Field(default=0, ge=0, strict=True)
    delay_s: NotNegative = 0.0


class Entrant(Strict):
    """A competitor on one board."""

    system: Name
    appears: Appearance = Appearance()


class Board(Strict):
    """One leaderboard: what ranks it, who is on it from the start, how often one may submit, and how long answers may be."""

    board: Name
    benchmark: Slug
    description: str = ""
    submissions_per_day: Count = 20
    longest_answer: Count = 1_000
    entrants: list[Entrant] = []

    def problems(self) -> Iterator[tuple[documents.Path, str]]:
        """Entrants that are declared twice."""
        names = [entrant.system for entrant in self.entrants]
        for i, name in enumerate(names):
            if name in names[:i]:
                yield ("entrants", i, "system"), f"{name!r} is declared twice"


class Competitor(Strict):
    """A configuration that the arena really runs on its hidden split."""

    system: Name
    solution: Slug
    params: Params = {}
    seed: int = Field(ge=0, strict=True)


class Competitors(Strict):
    """The file ``competitors.yaml``."""

    competitors: list[Competitor] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Declaration:
    """Everything declared, checked against each other.

    Attributes:
        include: directory that holds ``benchmarks`` and ``solutions``.
        boards: by name.
        benchmarks: by name, those of the boards.
        solutions: by name, those of the competitors.
    """

    include: Path
    boards: dict[str, Board]
    competitors: dict[str, Competitor]
    benchmarks: dict[str, Benchmark]
    solutions: dict[str, Solution]

    def metric(self, board: Board) -> tuple[str, bool]:
        """Name of the metric that ranks ``board``, and whether higher is better."""
        declared = self.benchmarks[board.benchmark].boards[board.board]
        return declared.metric, declared.higher_is_better

    def of_benchmark(self, benchmark: str) -> list[Competitor]:
        """Competitors that take part in some board of ``benchmark``."""
        names = {e.system for b in self.boards.values() if b.benchmark == benchmark for e in b.entrants}
        return [c for c in self.competitors.values() if c.system in names]


def load_declaration(config: Path, include: Path | None = None) -> Declaration:
    """Load and check an arena's files.

    Args:
        config: directory with ``boards/`` and ``competitors.yaml``.
        include: directory with ``benchmarks`` and ``solutions``; the bundled ones when left out.

    Raises:
        ConfigError: naming file, line and field of each fault.
        InputError: when there is no board.
    """
    include = include or Path(__file__).resolve().parent.parent
    files = sorted((config / "boards").glob("*.yaml"))
    if not files:
        raise InputError(f"{config / 'boards'}: holds no board")
    boards = {b.board: b for b in (documents.load(Board, file) for file in files)}
    file = config / "competitors.yaml"
    listed = documents.load(Competitors, file).competitors
    benchmarks = {n: _load(Benchmark, include / "benchmarks" / n) for n in {b.benchmark for b in boards.values()}}
    solutions = {n: _load(Solution, include / "solutions" / n) for n in {c.solution for c in listed}}
    found = Declaration(include, boards, {c.system: c for c in listed}, benchmarks, solutions)
    if faults := [*_faults(found, str(file), listed)]:
        raise ConfigError(faults)
    return found


def _load(model: type[documents.ModelT], folder: Path) -> documents.ModelT:
    return documents.load(model, folder / f"{model.__name__.lower()}.yaml")


def _faults(found: Declaration, file: str, listed: list[Competitor]) -> Iterator[Fault]:
    for i, competitor in enumerate(listed):
        for knob, reason in found.solutions[competitor.solution].refusals(competitor.params).items():
            yield Fault(file, None, f"competitors[{i}].params.{knob}", reason)
    for board in found.boards.values():
        if board.board not in found.benchmarks[board.benchmark].boards:
            yield Fault(file, None, "board", f"benchmark {board.benchmark!r} has no board {board.board!r}")
        for entrant in board.entrants:
            if entrant.system not in found.competitors:
                yield Fault(file, None, "competitors", f"{entrant.system!r} enters {board.board} but is not declared")
            elif found.solutions[found.competitors[entrant.system].solution].benchmark != board.benchmark:
                yield Fault(file, None, "competitors", f"{entrant.system!r} does not solve {board.benchmark!r}")
