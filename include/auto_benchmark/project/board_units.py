"""What a measurement of ours is in the unit of a board, which may write shares as percent."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import snapshots
from auto_benchmark.leaderboards.standing import rivals
from auto_benchmark.leaderboards.unit import declared_unit, unit_factor
from auto_benchmark.project.context import Context
from auto_benchmark.tables.naming import identities

DIGITS = 4
"""After the point of a share; one that is written as percent has two less."""


def board_factor(ctx: Context, session: Session, board: str, measured: float | None) -> float:
    """What ``measured``, a score of the metric that stands for the board, is multiplied by; 1 where nothing is known."""
    measured_by = ctx.metric_of(board)
    if measured_by is None:
        return 1.0
    return unit_factor(
        rival_scores(ctx, session, board), measured, metric=measured_by[0],
        declared=declared_unit(ctx.board(board).unit),
        of_benchmark=declared_unit(ctx.bench.benchmark.benchmark.boards[board].unit), higher_is_better=measured_by[1],
    )  # fmt: skip


def in_board_units(ctx: Context, session: Session, scores: Mapping[str, float]) -> dict[str, float]:
    """Our measurements by board, each as its board would write it."""
    watched = {board.name for board in ctx.boards}
    return {
        board: round(score * (board_factor(ctx, session, board, score) if board in watched else 1.0), 6)
        for board, score in scores.items()
    }


def as_boards_write(ctx: Context, session: Session, scores: Mapping[str, float]) -> str:
    """The same as text: ``Support Board 91.96, Other 0.8312``."""
    found = in_board_units(ctx, session, scores)
    digits = {board: DIGITS - 2 if abs(found[board]) > 10 * abs(score) else DIGITS for board, score in scores.items()}
    return ", ".join(f"{board} {score:.{digits[board]}f}" for board, score in found.items())


def rival_scores(ctx: Context, session: Session, board: str) -> list[float]:
    """Those of others: an entry of ours may be the only one in another notation."""
    snapshot = snapshots.latest(session=session, project=ctx.project, board=board)
    if snapshot is None:
        return []
    return [e.score for e in rivals(snapshot.entries, identities(ctx.ours)) if e.score is not None]
