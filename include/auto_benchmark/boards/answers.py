"""Which triggers wait for a run, and the run that answers them.

A trigger is announced by every scrape until a run has answered it, so that a scrape that dies after its commit loses
nothing; a run that was woken for a trigger that another one has answered has nothing to do.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import records, triggers
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.triggers import Action, Trigger
from auto_benchmark.project.context import Context

ANSWERED_BY_RUNS = (
    Action.RESEARCH_INGEST, Action.MAINTENANCE_SWEEP, Action.PREEMPTIVE_HYPOTHESES, Action.BENCHMARK_CONSTRUCTION,
)  # fmt: skip
"""A rank drop is a row of its own, which the urgent sweep claims."""


def note(ctx: Context, session: Session, key: str, trigger: Trigger) -> None:
    """Log a trigger, once a ``key``, which names what caused it."""
    records.log(
        session=session, project=ctx.project, key=f"trigger/{key}", kind=LogKind.TRIGGER, subject=trigger.board,
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
