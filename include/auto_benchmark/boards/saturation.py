"""Boards of a project that have nothing left to win: written down once, and what follows."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import board_history, records
from auto_benchmark.db.repositories.records import ApprovalAnswer
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.saturation import Saturation, SaturationState, saturation, within_noise
from auto_benchmark.leaderboards.snapshot import Snapshot
from auto_benchmark.leaderboards.triggers import Action, KeyedTrigger, Trigger
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


def note_saturated(ctx: Context, session: Session, found: Mapping[str, Saturation]) -> list[KeyedTrigger]:
    """Write down each saturated board, once, and ask whether what follows it is to be constructed.

    Args:
        ctx: the project.
        session: an open transaction.
        found: board -> its state.

    Returns:
        The constructions that start without asking.
    """
    started = []
    for board in ctx.boards:
        state = found.get(board.name)
        if state is not None and state.state is SaturationState.SATURATED:
            _write_down(ctx, session, board, state)
            started += _follow(ctx, session, board, state)
    return started


def answer(ctx: Context, session: Session, what: str, said: ApprovalAnswer, *, by: str) -> list[KeyedTrigger] | None:
    """Close the question whether a benchmark is to be built.

    Returns:
        The construction to start, where a person agrees, which the next scrape announces; None if no question is open.
    """
    board = what.removeprefix(CONSTRUCTION)
    if not what.startswith(CONSTRUCTION) or not records.resolve(
        session=session, project=ctx.project, key=what, resolution=f"{said} by {by}", answer=said
    ):
        return None
    return [_construction(board, f"approved by {by}")] if said is ApprovalAnswer.APPROVED else []


def _construction(board: str, reason: str) -> KeyedTrigger:
    """What a run of ``benchmark_construction`` answers, once a board."""
    action = Action.BENCHMARK_CONSTRUCTION
    return KeyedTrigger(f"{action}/{board}", Trigger(action, board, reason))


def _write_down(ctx: Context, session: Session, board: Leaderboard, found: Saturation) -> None:
    follows = board.saturation.request
    advice = "" if follows else "; `saturation: {request: FILE}` beside it in the registry builds what follows"
    records.log(
        session=session, project=ctx.project, key=f"{LogKind.SATURATION}/{board.name}", kind=LogKind.SATURATION,
        subject=board.name, reason=found.reason + advice,
        inputs={"headroom": found.headroom, "smallest": found.smallest, "board": board.name},
    )  # fmt: skip


def _follow(ctx: Context, session: Session, board: Leaderboard, found: Saturation) -> list[KeyedTrigger]:
    request, mode = board.saturation.request, ctx.config.schedule.automation.construction
    if request is None or mode is Mode.OFF:
        return []
    if mode is Mode.ON:
        return [_construction(board.name, found.reason)]
    records.escalate(
        session=session, project=ctx.project, key=f"{CONSTRUCTION}{board.name}",
        title=f"build the benchmark that follows {board.name}",
        brief=f"{board.name} is saturated: {found.reason}.\nApproved, {request} is built, and its board followed.",
        inputs={"board": board.name},
    )  # fmt: skip
    return []


def _fruitless(ctx: Context, session: Session, board: Leaderboard, now: Snapshot) -> int:
    """Submissions since the best score last rose by more than noise."""
    past = board_history.history(session=session, project=ctx.project, board=board.name, limit=LOOK_BACK)
    best = past[-1].standing.leader_score if past else None
    since = now.fetched_at
    for reading in reversed(past):
        score = reading.standing.leader_score
        if best is None or score is None or not within_noise(board, best, score):
            break
        since = reading.fetched_at
    return board_history.submissions_after(session=session, project=ctx.project, board=board.name, after=since)
