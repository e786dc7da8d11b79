"""Boards that a project follows because a benchmark was built for it: kept in its home until they are declared.

Whoever pastes such a row into the registry owns it from then on; a row that is deleted here is followed no more.
"""

from __future__ import annotations

from typing import Any

from auto_benchmark import atomic, documents
from auto_benchmark.documents import Strict
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.settings import Settings

FILE = "adopted_boards.yaml"
HEADER = (
    "# Boards of benchmarks that were built for this project. Paste a row into target_leaderboards of the registry to\n"
    "# declare it, or delete it here to follow it no more.\n"
)


class AdoptedBoards(Strict):
    """The file, oldest board first."""

    target_leaderboards: list[Leaderboard] = []


def adopted_boards(settings: Settings, project: str) -> list[Leaderboard]:
    """The adopted boards, oldest first. Raises ConfigError for a faulty file."""
    file = settings.project_home(project) / FILE
    return documents.load(AdoptedBoards, file).target_leaderboards if file.is_file() else []


def adopt(settings: Settings, project: str, board: Leaderboard) -> None:
    """Follow a board from now on; one of the same name is replaced."""
    others = [known for known in adopted_boards(settings, project) if known.name != board.name]
    rows = [row_of(known) for known in [*others, board]]
    file = settings.project_home(project) / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    atomic.write_text(file, HEADER + documents.to_yaml({"target_leaderboards": rows}))


def row_of(board: Leaderboard) -> dict[str, Any]:
    """A board as it stands in a registry."""
    return board.model_dump(mode="json", by_alias=True, exclude_unset=True)


def with_adopted(registry: CompetitiveRegistry, adopted: list[Leaderboard]) -> CompetitiveRegistry:
    """The registry with the boards that it does not declare itself."""
    declared = {board.name for board in registry.target_leaderboards}
    new = [board for board in adopted if board.name not in declared]
    return registry.model_copy(update={"target_leaderboards": [*registry.target_leaderboards, *new]})
