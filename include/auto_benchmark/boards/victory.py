"""Whether a board is won: where it stood at the end of each cycle, written down, against its victory condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import board_history, records, snapshots
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.standing import Standing
from auto_benchmark.leaderboards.victory import VictoryStatus, evaluate
from auto_benchmark.project.context import Context
from auto_benchmark.registry.leaderboard import Leaderboard


@dataclass(frozen=True, slots=True)
class Won:
    """A victory condition that is fulfilled, since the cycle ``since``."""

    since: str


def note_cycle(ctx: Context, session: Session, cycle: str) -> None:
    """Write down where each board stood at the end of a cycle; victory is a matter of consecutive cycles."""
    for board in ctx.boards:
        history = board_history.history(session=session, project=ctx.project, board=board.name, limit=1)
        if not history or snapshots.last_problem(session=session, project=ctx.project, board=board.name):
            continue
        now = history[-1].standing
        facts = {name: getattr(now, name) for name in Standing.__dataclass_fields__}
        records.log(
            session=session,
            project=ctx.project,
            key=f"{LogKind.STANDING}/{board.name}/{cycle}",
            kind=LogKind.STANDING,
            subject=board.name,
            reason="not listed" if now.our_rank is None else f"rank {now.our_rank}",
            inputs={"cycle": cycle, **facts},
        )


def victory(ctx: Context, session: Session, board: Leaderboard) -> VictoryStatus:
    """How a board stands against its victory condition, from the cycles that were written down."""
    return _victory(board, _noted(ctx, session, board, board.victory_condition.sustained_cycles))


def won(ctx: Context, session: Session, board: Leaderboard) -> Won | None:
    """Since when a board is won: the first of the cycles in a row that fulfil its victory condition; None if it is not.

    The board has to fulfil it now, too: the last cycle may lie behind.
    """
    (newest,) = board_history.history(session=session, project=ctx.project, board=board.name, limit=1)
    now = evaluate(board.victory_condition, [newest.standing], higher_is_better=board.higher_is_better)
    if not (now.rank_held and now.gap_held):
        return None
    limit = board.victory_condition.sustained_cycles
    while True:
        noted = _noted(ctx, session, board, limit)
        status = _victory(board, noted)
        if not status.achieved:
            return None
        if status.cycles < limit:
            return Won(str(noted[-status.cycles].inputs["cycle"]))
        limit *= 2


def _noted(ctx: Context, session: Session, board: Leaderboard, limit: int) -> Sequence[records.LogEntry]:
    """The newest cycles that were written down, oldest first."""
    found = records.logged(
        session=session, project=ctx.project, kind=LogKind.STANDING, subject=board.name, limit=limit
    )
    return found[::-1]


def _victory(board: Leaderboard, noted: Sequence[records.LogEntry]) -> VictoryStatus:
    standings = [Standing(**{name: entry.inputs[name] for name in Standing.__dataclass_fields__}) for entry in noted]
    return evaluate(board.victory_condition, standings, higher_is_better=board.higher_is_better)
