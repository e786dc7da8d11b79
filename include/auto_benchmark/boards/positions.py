"""Where we stand on each board, from the last good snapshots."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from auto_benchmark.boards.units import measured_score
from auto_benchmark.db.repositories import snapshots
from auto_benchmark.project.context import Context
from auto_benchmark.reporting.digest import Position


def positions(ctx: Context, session: Session) -> list[Position]:
    """One position per watched board, in the registry's order."""
    seen = snapshots.last_seen(session=session, project=ctx.project)
    return [_position(ctx, session, board.name, board.higher_is_better, seen.get(board.name)) for board in ctx.boards]


def stale_boards(ctx: Context, session: Session) -> list[str]:
    """Boards whose last good snapshot is older than ``freshness.max_age_hours``, or that were never read."""
    return [p.board for p in positions(ctx, session) if p.is_stale]


def _position(ctx: Context, session: Session, board: str, higher: bool, seen: datetime | None) -> Position:
    oldest = ctx.now() - timedelta(hours=ctx.config.schedule.freshness.max_age_hours)
    is_stale = seen is None or seen < oldest
    if not is_stale:
        is_stale = snapshots.last_problem(session=session, project=ctx.project, board=board) is not None
    history = snapshots.history(session=session, project=ctx.project, board=board, limit=1)
    if not history:
        measured = measured_score(ctx, session, board)
        return Position(board, None, None, None, is_stale=True, measured=measured)
    now = history[-1].standing
    measured = measured_score(ctx, session, board)
    return Position(board, now.our_rank, now.our_score, now.gap(higher_is_better=higher), is_stale, seen, measured)
