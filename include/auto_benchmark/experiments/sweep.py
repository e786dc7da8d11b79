"""What holds a sweep together: whether it searches, how it answers rank drops, whether another experiment follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.boards.standing import stale_boards
from auto_benchmark.db.repositories import board_history, hypotheses, rank_drops, records, snapshots, trials
from auto_benchmark.experiments.gate.rounds import candidate_plans, claim_in, experiment_of
from auto_benchmark.experiments.search.rounds import plan_search_in
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus, Urgency
from auto_benchmark.hypotheses.queue import ranked
from auto_benchmark.kinds import Lane, LogKind
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import base_config


def check_freshness(ctx: Context) -> list[str]:
    """Boards that are too old to act on; the run goes on and says so."""
    with ctx.sessions() as session:
        stale = stale_boards(ctx, session)
    for board in stale:
        ctx.say(f"acting on stale data: {board} has no fresh snapshot")
    return stale


def nothing_to_aim_at(ctx: Context) -> str | None:
    """Why nothing can be tried: every board that our benchmark measures was fetched and never read. Else None.

    A board that has been read once keeps its last good snapshot, and one that no scrape has asked for may be readable.
    """
    reasons = []
    with ctx.sessions() as session:
        seen = board_history.last_seen(session=session, project=ctx.project)
        for board in (b.name for b in ctx.boards if ctx.metric_of(b.name) is not None):
            problem = snapshots.last_problem(session=session, project=ctx.project, board=board)
            if seen.get(board) is not None or problem is None:
                return None
            reasons.append(f"{board} was never read ({problem.reason})")
    return f"nothing is tried: {'; '.join(reasons)}" if reasons else None


def needs_search(ctx: Context) -> bool:
    """Whether nothing that is queued starts from the present base."""
    with ctx.sessions() as session:
        base = base_config(ctx, session).candidate
        queue = hypotheses.queue(session=session, project=ctx.project)
    return not any(
        h.status is HypothesisStatus.ACTIVE
        or (dict(h.implementation.base) == dict(base.params) and h.starts_from(base.tree))
        for h in queue
    )


def next_experiment(ctx: Context, *, outcome: str, ends: Sequence[str], number: int | str, limit: int) -> bool:
    """Whether a sweep goes on with another experiment.

    Args:
        ctx: the project.
        outcome: of the experiment that has ended; empty when there was none.
        ends: outcomes after which the sweep ends.
        number: of the experiment that has ended, counted from 1.
        limit: most experiments of one sweep.
    """
    if not goes_on(outcome=outcome, ends=ends, number=number, limit=limit):
        return False
    with ctx.sessions() as session:
        queue = hypotheses.queue(session=session, project=ctx.project)
    return any(h.status is HypothesisStatus.QUEUED for h in queue)


def goes_on(*, outcome: str, ends: Sequence[str], number: int | str, limit: int) -> bool:
    """Whether a sweep may go on after an experiment; arguments as for :func:`next_experiment`."""
    return outcome not in {"", *ends} and int(number) < limit


def claim_and_plan(ctx: Context, owner: str, asked_by: str = "") -> dict[str, Any] | None:
    """Answer every unclaimed rank drop: raise the best hypothesis to urgent and plan one seed of it.

    ``asked_by`` names a person who wants an urgent sweep without a rank drop.

    Claims, answers and trials are one transaction: killed before it, the events are still there for the next;
    killed after it, the same owner gets the same plan again.

    Returns:
        ``{"events", "hypothesis_id", "trial_ids"}``; None when no rank drop waits.
    """
    with ctx.sessions.begin() as session:
        events = rank_drops.claim(session=session, project=ctx.project, owner=owner)
        answered = [event.key for event in events] or rank_drops.claimed_by(
            session=session, project=ctx.project, owner=owner
        )
        if not answered and not asked_by:
            return None
        for event in events:
            records.log(
                session=session,
                project=ctx.project,
                key=f"rank_drop/{event.key}",
                kind=LogKind.RANK_DROP,
                subject=event.board,
                reason=f"{event.change.system} passed us on {event.board}; urgent sweep started",
                inputs={"snapshot_id": event.snapshot_id, "owner": owner},
            )
        hypothesis_id = _raise_best(ctx, session, owner)
        if hypothesis_id is None:
            ids = plan_search_in(ctx, session, 0, queue=Lane.URGENT)
        else:
            plans = candidate_plans(
                ctx, session, experiment_of(ctx, session, hypothesis_id), seeds=1, queue=Lane.URGENT
            )
            planned = trials.plan(session=session, project=ctx.project, plans=plans)
            ids = [trial.id for trial in planned if not trial.state.is_finished]
    return {"events": answered, "hypothesis_id": hypothesis_id, "trial_ids": ids}


def _raise_best(ctx: Context, session: Session, owner: str) -> str | None:
    """Make the best open hypothesis urgent and claim it; None when the queue is empty or nothing may run."""
    for best in hypotheses.queue(session=session, project=ctx.project, limit=1):
        urgent = ranked(best, urgency=Urgency.URGENT)
        hypotheses.set_priority(session=session, project=ctx.project, hypothesis=urgent)
        return claim_in(ctx, session, owner, hypothesis_id=best.id)
    return None
