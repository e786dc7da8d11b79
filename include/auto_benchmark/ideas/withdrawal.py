"""Takes a hypothesis that waits out of the queue again."""

from __future__ import annotations

from auto_benchmark.db.repositories import hypotheses, records
from auto_benchmark.errors import RefusedError
from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus
from auto_benchmark.ideas.listing import found
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.context import Context
from auto_benchmark.project.reconcile import render_views

WAITING = (HypothesisStatus.QUEUED, HypothesisStatus.PAUSED)
WHAT_ELSE = {
    HypothesisStatus.ACTIVE: "its trials run; pause it on the page to stop them",
    HypothesisStatus.ESCALATED: "it waits for an answer; reject it instead",
}


def withdraw(ctx: Context, hypothesis_id: str, *, by: str, reason: str) -> Hypothesis:
    """Archive a hypothesis that is queued or paused; repeating it changes nothing.

    Raises:
        InputError: the project has no such hypothesis.
        RefusedError: it no longer waits.
    """
    words = f"withdrawn by {by}: {reason}"
    with ctx.sessions.begin() as session:
        before = found(ctx, session, hypothesis_id)
        moved = hypotheses.set_status(
            session=session, project=ctx.project, hypothesis_id=hypothesis_id, status=HypothesisStatus.ARCHIVED,
            reason=words, only_from=WAITING,
        )  # fmt: skip
        if moved:
            records.log(
                session=session, project=ctx.project, key=f"withdrawn/{hypothesis_id}", kind=LogKind.IDEA,
                subject=hypothesis_id, reason=words,
            )  # fmt: skip
        elif not before.reason.startswith("withdrawn by "):
            why = WHAT_ELSE.get(before.status, before.reason or "it has been decided")
            raise RefusedError(f"{hypothesis_id} is {before.status} and cannot be withdrawn: {why}")
        after = found(ctx, session, hypothesis_id)
    render_views(ctx)
    return after
