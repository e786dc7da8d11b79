"""What the boards together mean: the gap matrix, what it triggers, and whether we have won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import deltas, records, snapshots
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.gap_matrix import BoardGap, BoardState, GapMatrix, board_gap, gap_matrix
from auto_benchmark.leaderboards.snapshot import Snapshot
from auto_benchmark.leaderboards.standing import Standing
from auto_benchmark.leaderboards.triggers import Trigger, decide
from auto_benchmark.leaderboards.victory import VictoryStatus, evaluate
from auto_benchmark.project.context import Context
from auto_benchmark.registry.leaderboard import Leaderboard


@dataclass(frozen=True, slots=True)
class KeyedTrigger:
    """A trigger with the snapshot that caused it, so that it is noted once however often it is seen."""

    key: str
    trigger: Trigger


@dataclass(frozen=True, slots=True)
class Landscape:
    """The view of one moment."""

    matrix: GapMatrix
    triggers: Sequence[KeyedTrigger]


def observe(ctx: Context, session: Session) -> Landscape:
    """Read the last good snapshot of every board, and decide what each new one triggers."""
    latest = {
        board.name: snapshot
        for board in ctx.boards
        if (snapshot := snapshots.latest(session=session, project=ctx.project, board=board.name)) is not None
    }
    states = [_state(board, latest[board.name]) for board in ctx.boards if board.name in latest]
    matrix = gap_matrix(states, ctx.ours)
    triggers = [
        KeyedTrigger(f"{trigger.action}/{board.name}/{latest[board.name].id}", trigger)
        for board in ctx.boards
        if board.name in latest
        for trigger in _triggers(ctx, session, board, latest[board.name])
    ]
    return Landscape(matrix, triggers)


def note_cycle(ctx: Context, session: Session, cycle: str) -> None:
    """Write down where each board stood at the end of a cycle; victory is a matter of consecutive cycles."""
    for board in ctx.boards:
        history = snapshots.history(session=session, project=ctx.project, board=board.name, limit=1)
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
    newest = records.logged(
        session=session, project=ctx.project, kind=LogKind.STANDING, subject=board.name,
        limit=board.victory_condition.sustained_cycles,
    )  # fmt: skip
    standings = [
        Standing(**{name: entry.inputs[name] for name in Standing.__dataclass_fields__}) for entry in reversed(newest)
    ]
    return evaluate(board.victory_condition, standings, higher_is_better=board.higher_is_better)


def _state(board: Leaderboard, snapshot: Snapshot) -> BoardState:
    return BoardState(board.name, snapshot.entries, board.higher_is_better, board.items, board.stderr)


def _triggers(ctx: Context, session: Session, board: Leaderboard, snapshot: Snapshot) -> list[Trigger]:
    delta = deltas.of_snapshot(session=session, snapshot_id=snapshot.id)
    if delta is None:
        return []
    previous = snapshots.previous(session=session, snapshot=snapshot, project=ctx.project)
    return decide(
        _gap(ctx, board, snapshot),
        delta,
        previous=_gap(ctx, board, previous) if previous else None,
        won=victory(ctx, session, board).achieved,
        widened_by=ctx.config.schedule.freshness.gap_widened,
        higher_is_better=board.higher_is_better,
    )


def _gap(ctx: Context, board: Leaderboard, snapshot: Snapshot) -> BoardGap:
    return board_gap(_state(board, snapshot), ctx.ours)
