"""Questions about gaps that nothing queued is projected to close; they end with the gap, or with the leader's score."""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark.boards.standing import at_our_best, focus_on
from auto_benchmark.db.repositories import records
from auto_benchmark.project.context import Context

STRUCTURAL_GAP = "structural-gap/"
"""What the keys of these questions begin with."""


def gap_key(board: str, rival_score: float | None) -> str:
    """A question for each score of the leader: another one asks for another change."""
    return f"{STRUCTURAL_GAP}{board}/{rival_score}"


def close_gone(ctx: Context, session: Session) -> None:
    """Close the questions whose leader has another score by now, or whom we have passed, by our own measurement at least."""
    open_now = records.open_escalations(session=session, project=ctx.project)
    asked = [e.key for e in open_now if e.key.startswith(STRUCTURAL_GAP)]
    for board in ctx.boards if asked else ():
        aim = focus_on(ctx, session, board.name)
        if aim is None:
            continue
        holds = None if at_our_best(ctx, session, aim).gap >= 0 else gap_key(board.name, aim.rival_score)
        gone = [key for key in asked if key.startswith(f"{STRUCTURAL_GAP}{board.name}/") and key != holds]
        records.resolve_all(session=session, project=ctx.project, keys=gone, resolution="the gap is another by now")
