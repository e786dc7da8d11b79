"""Boards of a project that have nothing left to win: written down once, and what follows."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.orm import Session

from auto_benchmark.boards.answers import note
from auto_benchmark.db.repositories import deltas, records, snapshots
from auto_benchmark.db.repositories.records import ApprovalAnswer
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.saturation import Saturation, SaturationState, saturation, within_noise
from auto_benchmark.leaderboards.snapshot import Snapshot
from auto_benchmark.leaderboards.triggers import Action, Trigger
from auto_benchmark.project.context import Context
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.registry.schedule import Mode

CONSTRUCTION = "construction/"
"""How the key of the question begins whether a benchmark is to be built that follows a board."""
LOOK_BACK = 1000
"""Readings in which the last gain is looked for."""


def state_of(ctx: Context, session: Session, board: Leaderboard, snapshot: Snapshot) -> Saturation:
    """What is left to win on a board, by its last good reading."""
    return saturation(board, snapshot.entries, _fruitless(ctx, session, board, snapshot))


def note_saturated(ctx: Context, session: Session, found: Mapping[str, Saturation]) -> None:
    """Write down each saturated board, once, and ask for the construction of what follows it, or start it.

    Args:
        ctx: the project.
        session: an open transaction.
        found: board -> its state.
    """
    for board in ctx.boards:
        state = found.get(board.name)
        if state is not None and state.state is SaturationState.SATURATED:
            _write_down(ctx, session, board, state)
            _follow(ctx, session, board, state)


def start_construction(ctx: Context, session: Session, board: str, reason: str) -> None:
    """Note the trigger that a run of ``benchmark_construction`` answers, once a board."""
    action = Action.BENCHMARK_CONSTRUCTION
    note(ctx, session, f"{action}/{board}", Trigger(action, board, reason))


def answer(ctx: Context, session: Session, what: str, said: ApprovalAnswer, *, by: str) -> bool:
    """Close the question whether a benchmark is to be built, and start it where a person agrees; False if none is open.

    The next scrape announces what was started.
    """
    board = what.removeprefix(CONSTRUCTION)
    if not what.startswith(CONSTRUCTION) or not records.resolve(
        session=session, project=ctx.project, key=what, resolution=f"{said} by {by}", answer=said
    ):
        return False
    if said is ApprovalAnswer.APPROVED:
        start_construction(ctx, session, board, f"approved by {by}")
    return True


def _write_down(ctx: Context, session: Session, board: Leaderboard, found: Saturation) -> None:
    follows = board.saturation.request
    advice = "" if follows else "; `saturation: {request: FILE}` beside it in the registry builds what follows"
    records.log(
        session=session, project=ctx.project, key=f"{LogKind.SATURATION}/{board.name}", kind=LogKind.SATURATION,
        subject=board.name, reason=found.reason + advice,
        inputs={"headroom": found.headroom, "smallest": found.smallest, "board": board.name},
    )  # fmt: skip


def _follow(ctx: Context, session: Session, board: Leaderboard, found: Saturation) -> None:
    request, mode = board.saturation.request, ctx.config.schedule.automation.construction
    if request is None or mode is Mode.OFF:
        return
    if mode is Mode.ON:
        start_construction(ctx, session, board.name, found.reason)
        return
    records.escalate(
        session=session, project=ctx.project, key=f"{CONSTRUCTION}{board.name}",
        title=f"build the benchmark that follows {board.name}",
        brief=f"{board.name} is saturated: {found.reason}.\nApproved, {request} is built, and its board followed.",
        inputs={"board": board.name},
    )  # fmt: skip


def _fruitless(ctx: Context, session: Session, board: Leaderboard, now: Snapshot) -> int:
    """Submissions since the best score last rose by more than noise."""
    past = snapshots.history(session=session, project=ctx.project, board=board.name, limit=LOOK_BACK)
    best = past[-1].standing.leader_score if past else None
    since = now.fetched_at
    for reading in reversed(past):
        score = reading.standing.leader_score
        if best is None or score is None or not within_noise(board, best, score):
            break
        since = reading.fetched_at
    return deltas.submissions_after(session=session, project=ctx.project, board=board.name, after=since)
