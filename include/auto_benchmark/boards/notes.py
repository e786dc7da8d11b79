"""What cannot work on a board as it is declared: another unit, a threshold above the gap."""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark.boards.standing import focus_on
from auto_benchmark.boards.units import other_unit
from auto_benchmark.project.context import Context
from auto_benchmark.registry.leaderboard import Leaderboard


def board_notes(ctx: Context, session: Session, board: Leaderboard) -> list[str]:
    """One sentence each, without the board's name."""
    aim = focus_on(ctx, session, board.name)
    if aim is None:
        return [f"the benchmark {ctx.bench.ref.name} does not measure it: name it under boards in benchmark.yaml"]
    if (other := other_unit(ctx, session, board)) is not None:
        return [other]
    threshold = ctx.config.registry.promotion_threshold(board)
    if 0 < aim.missing < threshold:
        return [
            f"the promotion threshold of {threshold:g} is above the gap to #1 of {aim.missing:.4g}: a candidate in "
            "between would lead, but would not be promoted"
        ]
    return []
