"""Steps that read leaderboards. A step imports its implementation when it is called, so flows are light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auto_benchmark.project.context import Context


def board_names(ctx: Context) -> list[str]:
    """The watched boards."""
    return [board.name for board in ctx.boards]


def scrape_board(ctx: Context, board_name: str) -> dict[str, Any]:
    """Read one board: ``{"board", "status", "snapshot_id", "changed", "reason"}``. Its trouble is recorded, not raised."""
    from auto_benchmark.boards.scrape import scrape_board as implementation

    return implementation(ctx, board_name)


def update_landscape(ctx: Context, cycle: str | None) -> dict[str, Any]:
    """Render registry and gap matrix: ``{"triggers", "unclaimed_rank_drops"}``."""
    from auto_benchmark.boards.landscape import update_landscape as implementation

    return implementation(ctx, cycle=cycle)
