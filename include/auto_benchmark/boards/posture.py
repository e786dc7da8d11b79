"""Attack or defense: how urgent it is to try something, from where we stand."""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark.boards.positions import positions
from auto_benchmark.db.repositories import hypotheses, snapshots
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus, Urgency, priority_score
from auto_benchmark.leaderboards.triggers import threats
from auto_benchmark.project.context import Context
from auto_benchmark.registry.leaderboard import Leaderboard


def usual_urgency(ctx: Context, session: Session) -> Urgency:
    """Low while we lead every board that we are measured for and nobody is within 5 %; normal otherwise."""
    measured = [p for p in positions(ctx, session) if ctx.metric_of(p.board) is not None]
    if not measured or any(p.rank != 1 for p in measured):
        return Urgency.NORMAL
    pressed = any(threats_on(ctx, session, ctx.board(p.board)) for p in measured)
    return Urgency.NORMAL if pressed else Urgency.LOW


def back_to_attack(ctx: Context, session: Session) -> None:
    """Raise what was queued at low urgency while we led, once we are overtaken or pressed."""
    queued = hypotheses.listed(session=session, project=ctx.project, statuses=[HypothesisStatus.QUEUED])
    low = [h for h in queued if h.urgency is Urgency.LOW]
    if not low or usual_urgency(ctx, session) is Urgency.LOW:
        return
    for hypothesis in low:
        gain, effort = hypothesis.implementation.estimated_gain, hypothesis.implementation.effort
        hypotheses.set_priority(
            session=session, project=ctx.project, hypothesis_id=hypothesis.id, urgency=Urgency.NORMAL,
            priority_score=priority_score(gain, effort, Urgency.NORMAL),
        )  # fmt: skip


def threats_on(ctx: Context, session: Session, board: Leaderboard) -> list[tuple[str, float]]:
    """Systems and scores close behind us on a board that we lead; none where we do not."""
    history = snapshots.history(session=session, project=ctx.project, board=board.name, limit=1)
    snapshot = snapshots.latest(session=session, project=ctx.project, board=board.name)
    if not history or snapshot is None or history[-1].standing.our_rank != 1:
        return []
    score = history[-1].standing.our_score
    if score is None:
        return []
    close = threats(snapshot.entries, ctx.ours, score, higher_is_better=board.higher_is_better)
    return [(entry.system, entry.score) for entry in close if entry.score is not None]
