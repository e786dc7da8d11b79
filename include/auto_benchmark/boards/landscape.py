"""What the boards together mean: the gap matrix, what it sets in motion, and which run answers that.

A trigger is announced by every scrape until a run has answered it, so that a scrape that dies after its commit loses
nothing; a run that was woken for a trigger that another one has answered has nothing to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.boards.gap_questions import close_gone
from auto_benchmark.boards.saturation import note_saturated, state_of
from auto_benchmark.boards.victory import Won, note_cycle, won
from auto_benchmark.db.repositories import rank_drops, records, snapshots, triggers
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.gap_matrix import BoardGap, BoardState, GapMatrix, board_gap, gap_matrix
from auto_benchmark.leaderboards.saturation import Saturation
from auto_benchmark.leaderboards.snapshot import Snapshot
from auto_benchmark.leaderboards.triggers import Action, KeyedTrigger, Trigger, decide
from auto_benchmark.project.context import Context
from auto_benchmark.project.reconcile import render_views
from auto_benchmark.registry.leaderboard import Leaderboard

ANSWERED_BY_RUNS = (
    Action.RESEARCH_INGEST, Action.MAINTENANCE_SWEEP, Action.PREEMPTIVE_HYPOTHESES, Action.BENCHMARK_CONSTRUCTION,
)  # fmt: skip
"""A rank drop is a row of its own, which the urgent sweep claims."""


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
        for trigger in [*view.triggers, *note_saturated(ctx, session, view.saturation)]:
            note(ctx, session, trigger)
        close_gone(ctx, session)
        open_actions = waiting(ctx, session)
        unclaimed = rank_drops.count_unclaimed(session=session, project=ctx.project)
    return {"triggers": [str(action) for action in open_actions], "unclaimed_rank_drops": unclaimed}


def observe(ctx: Context, session: Session) -> Landscape:
    """Read the last good snapshot of every board, once, and decide what each new one triggers."""
    latest = {
        board.name: snapshot
        for board in ctx.boards
        if (snapshot := snapshots.latest(session=session, project=ctx.project, board=board.name)) is not None
    }
    states = [_state(board, latest[board.name]) for board in ctx.boards if board.name in latest]
    matrix = gap_matrix(states, ctx.ours)
    decided = [
        keyed
        for board in ctx.boards
        if board.name in latest
        for keyed in _triggers(ctx, session, board, latest[board.name])
    ]
    left = {
        board.name: state_of(ctx, session, board, latest[board.name]) for board in ctx.boards if board.name in latest
    }
    return Landscape(matrix, decided, left)


def note(ctx: Context, session: Session, keyed: KeyedTrigger) -> None:
    """Log a trigger, once a key."""
    trigger = keyed.trigger
    records.log(
        session=session, project=ctx.project, key=f"trigger/{keyed.key}", kind=LogKind.TRIGGER, subject=trigger.board,
        reason=trigger.reason, inputs={"action": str(trigger.action), "systems": list(trigger.systems)},
    )  # fmt: skip


def waiting(ctx: Context, session: Session) -> list[Action]:
    """Actions that were decided and that no run has answered."""
    return [
        action
        for action in ANSWERED_BY_RUNS
        if triggers.waiting(session=session, project=ctx.project, action=action) is not None
    ]


def answers(ctx: Context, action: Action, *, owner: str, woken: bool) -> bool:
    """Answer what waits for ``action``; whether the run has something to do.

    Args:
        ctx: the project.
        action: that the run is for.
        owner: name of the run; asking again, it gets the same answer.
        woken: an event started the run. Any other run has work of its own, and answers what waits in passing.
    """
    with ctx.sessions.begin() as session:
        claimed = triggers.claim(session=session, project=ctx.project, action=action, owner=owner, now=ctx.now())
    return claimed or not woken


def _state(board: Leaderboard, snapshot: Snapshot) -> BoardState:
    return BoardState(board.name, snapshot.entries, board.higher_is_better, board.share_items, board.stderr)


def _triggers(ctx: Context, session: Session, board: Leaderboard, snapshot: Snapshot) -> list[KeyedTrigger]:
    delta = snapshots.changes_of(session=session, snapshot_id=snapshot.id)
    if delta is None:
        return []
    previous = snapshots.previous(session=session, snapshot=snapshot, project=ctx.project)
    victory_of_now = won(ctx, session, board)
    decided = decide(
        _gap(ctx, board, snapshot),
        delta,
        previous=_gap(ctx, board, previous) if previous else None,
        passed=rank_drops.of_snapshot(session=session, snapshot_id=snapshot.id),
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
