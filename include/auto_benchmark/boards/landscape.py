"""What the boards together mean: the gap matrix, what it triggers, and whether we have won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.boards import answers
from auto_benchmark.boards.saturation import note_saturated, state_of
from auto_benchmark.db.repositories import deltas, records, snapshots
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.gap_matrix import BoardGap, BoardState, GapMatrix, board_gap, gap_matrix
from auto_benchmark.leaderboards.saturation import Saturation
from auto_benchmark.leaderboards.snapshot import Snapshot
from auto_benchmark.leaderboards.standing import Standing
from auto_benchmark.leaderboards.triggers import Action, Trigger, decide
from auto_benchmark.leaderboards.victory import VictoryStatus, evaluate
from auto_benchmark.project.context import Context
from auto_benchmark.project.reconcile import render_views
from auto_benchmark.registry.leaderboard import Leaderboard


@dataclass(frozen=True, slots=True)
class KeyedTrigger:
    """A trigger with what caused it, a snapshot or a victory, so that it is noted once however often it is seen."""

    key: str
    trigger: Trigger


@dataclass(frozen=True, slots=True)
class Won:
    """A victory condition that is fulfilled, since the cycle ``since``."""

    since: str


@dataclass(frozen=True, slots=True)
class Landscape:
    """The view of one moment: where the boards stand, what that sets in motion, and what is left to win on each."""

    matrix: GapMatrix
    triggers: Sequence[KeyedTrigger]
    saturation: Mapping[str, Saturation]


def update_landscape(ctx: Context, *, cycle: str | None = None) -> dict[str, Any]:
    """Render registry and gap matrix, and note what the new landscape triggers.

    Args:
        ctx: the project.
        cycle: name of the cycle that ends with this scrape; where each board stands is then written down.

    Returns:
        ``{"triggers": [...], "unclaimed_rank_drops": n}``: what waits for a run, until one has answered it.
    """
    render_views(ctx)
    with ctx.sessions.begin() as session:
        if cycle is not None:
            note_cycle(ctx, session, cycle)
        view = observe(ctx, session)
        atomic.write_text(ctx.home / "reports" / "gap_matrix.md", view.matrix.markdown())
        for keyed in view.triggers:
            answers.note(ctx, session, keyed.key, keyed.trigger)
        note_saturated(ctx, session, view.saturation)
        waiting = answers.waiting(ctx, session)
        unclaimed = deltas.unclaimed_rank_drops(session=session, project=ctx.project)
    return {"triggers": [str(action) for action in waiting], "unclaimed_rank_drops": len(unclaimed)}


def observe(ctx: Context, session: Session) -> Landscape:
    """Read the last good snapshot of every board, once, and decide what each new one triggers."""
    latest = {
        board.name: snapshot
        for board in ctx.boards
        if (snapshot := snapshots.latest(session=session, project=ctx.project, board=board.name)) is not None
    }
    states = [_state(board, latest[board.name]) for board in ctx.boards if board.name in latest]
    matrix = gap_matrix(states, ctx.ours)
    triggers = [
        keyed
        for board in ctx.boards
        if board.name in latest
        for keyed in _triggers(ctx, session, board, latest[board.name])
    ]
    left = {
        board.name: state_of(ctx, session, board, latest[board.name]) for board in ctx.boards if board.name in latest
    }
    return Landscape(matrix, triggers, left)


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
    return _victory(board, _noted(ctx, session, board, board.victory_condition.sustained_cycles))


def won(ctx: Context, session: Session, board: Leaderboard) -> Won | None:
    """Since when a board is won: the first of the cycles in a row that fulfil its victory condition; None if it is not.

    The board has to fulfil it now, too: the last cycle may lie behind.
    """
    (newest,) = snapshots.history(session=session, project=ctx.project, board=board.name, limit=1)
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


def _state(board: Leaderboard, snapshot: Snapshot) -> BoardState:
    return BoardState(board.name, snapshot.entries, board.higher_is_better, board.items, board.stderr)


def _triggers(ctx: Context, session: Session, board: Leaderboard, snapshot: Snapshot) -> list[KeyedTrigger]:
    delta = deltas.of_snapshot(session=session, snapshot_id=snapshot.id)
    if delta is None:
        return []
    previous = snapshots.previous(session=session, snapshot=snapshot, project=ctx.project)
    victory_of_now = won(ctx, session, board)
    decided = decide(
        _gap(ctx, board, snapshot),
        delta,
        previous=_gap(ctx, board, previous) if previous else None,
        passed=deltas.rank_drops_of(session=session, snapshot_id=snapshot.id),
        won=victory_of_now is not None,
        widened_by=ctx.config.schedule.freshness.gap_widened,
    )
    return [KeyedTrigger(_key(trigger, snapshot, victory_of_now), trigger) for trigger in decided]


def _key(trigger: Trigger, snapshot: Snapshot, victory_of_now: Won | None) -> str:
    """What makes a trigger one: the victory that it begins, else the snapshot that shows its cause."""
    cause = str(snapshot.id)
    if trigger.action is Action.MAINTENANCE_SWEEP and victory_of_now is not None:
        cause = f"since/{victory_of_now.since}"
    return f"{trigger.action}/{trigger.board}/{cause}"


def _gap(ctx: Context, board: Leaderboard, snapshot: Snapshot) -> BoardGap:
    return board_gap(_state(board, snapshot), ctx.ours)
