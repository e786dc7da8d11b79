"""Did a board score production as its fresh seeds promised?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.contract.trial import Split
from auto_benchmark.db.repositories import production, records, submissions
from auto_benchmark.db.repositories.submissions import Submission
from auto_benchmark.defense.response import before_production
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import production_config
from auto_benchmark.project.reconcile import render_views
from auto_benchmark.promotion.defense import broken_promise
from auto_benchmark.registry.leaderboard import Leaderboard


def check_promises(ctx: Context) -> list[dict[str, Any]]:
    """Boards that scored production below what its fresh seeds promised by more than noise explains.

    The policy: keep it and alert while it is our best on that board; go back where an earlier configuration scored
    better there.
    """
    told = []
    for board in ctx.boards:
        with ctx.sessions.begin() as session:
            if (broken := _broken(ctx, session, board)) is not None:
                told.append(broken)
    if any(promise["action"] == "rolled_back" for promise in told):
        render_views(ctx)
    return told


def _broken(ctx: Context, session: Session, board: Leaderboard) -> dict[str, Any] | None:
    current = production_config(ctx, session)
    promised, measured = current.candidate.scores.get(board.name), ctx.metric_of(board.name)
    handed_in = [
        s for s in submissions.listed(session=session, project=ctx.project, board=board.name) if s.score is not None
    ]
    latest = next((s for s in handed_in if s.production_config_id == current.id), None)
    if (
        promised is None
        or measured is None
        or latest is None
        or latest.score is None
        or current.candidate.decision_id is None
    ):
        return None
    others = [s for s in handed_in if s.id != latest.id]
    expected = promised + _offset(ctx, session, board.name, others)
    missing = broken_promise(
        expected, latest.score, error=_promise_error(ctx, promised), higher_is_better=measured[1]
    )
    if missing is None:
        return None
    sign = 1 if measured[1] else -1
    best = max((sign * s.score for s in others if s.score is not None), default=-math.inf)
    action = "rolled_back" if best > sign * latest.score and before_production(ctx, session) else "kept"
    story = f"{board.name} scored {latest.score:.4f}, promised {expected:.4f}: {missing:.4f} missing; {action}"
    if not records.log(
        session=session, project=ctx.project, key=f"promise/{latest.id}", kind=LogKind.BROKEN_PROMISE, subject=board.name,
        reason=story, inputs={"submission_id": latest.id, "production_config_id": current.id},
    ):  # fmt: skip
        return None
    ctx.say(f"[ALERT] {story}")
    if action == "rolled_back":
        production.rollback(session=session, project=ctx.project, reason=story)
    return {"board": board.name, "promised": expected, "scored": latest.score, "action": action}


def _promise_error(ctx: Context, promised: float) -> float:
    """Standard error of board score minus promise: two independent draws of items, for shares of right answers."""
    items = len(ctx.bench.data.item_ids(ctx.bench.data.view(Split.GATE)))
    share = min(max(promised, 0.0), 1.0)
    return math.sqrt(2 * max(share * (1 - share), 0.01) / max(items, 1))


def _offset(ctx: Context, session: Session, board: str, others: Sequence[Submission]) -> float:
    """Mean of board score minus promise over earlier submissions; 0 without any."""
    holders = {h.id: h.candidate for h in production.history(session=session, project=ctx.project)}
    known = [
        s.score - holders[s.production_config_id].scores[board]
        for s in others
        if s.score is not None
        and s.production_config_id in holders
        and holders[s.production_config_id].decision_id is not None
        and board in holders[s.production_config_id].scores
    ]
    return fmean(known) if known else 0.0
