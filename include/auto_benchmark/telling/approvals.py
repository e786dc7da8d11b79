"""What a person answers: promotions and submissions that wait for approval, and whether an entry is ours."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.boards import our_entries
from auto_benchmark.boards import scrape as leaderboard_scrape
from auto_benchmark.contract.record import Experiment
from auto_benchmark.db.repositories import decisions, experiments, hypotheses, records, submissions
from auto_benchmark.db.repositories.records import Answer
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.experiments.gate.rounds import experiment_of
from auto_benchmark.experiments.outcome.promotion import promotion_keys, take_role
from auto_benchmark.experiments.submission import approval_key, wanted_boards
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus
from auto_benchmark.kinds import LogKind, Outcome
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import production_config
from auto_benchmark.project.reconcile import render_views
from auto_benchmark.promotion.decision import Verdict
from auto_benchmark.promotion.production import Role

ASKING = ("approve-", our_entries.OUR_NAME)
"""What the keys of questions begin with that are approved or rejected."""
PROMOTION, SUBMISSION, OUR_NAME = "promotion", "submission", "our_name"


def approve(ctx: Context, what: str, *, by: str) -> dict[str, Any]:
    """Let what waits go on.

    Args:
        ctx: the project.
        what: id of a hypothesis whose promotion waits, name of a board whose submission waits, or ``<board>/<score>``
            of an entry under our name that nobody knew of.
        by: who says so; stands in the log.

    Returns:
        ``{"kind", "subject", "approved"}``.

    Raises:
        InputError: nothing of that name waits.
        RefusedError: production has changed since the gate decided; the comparison does not hold any more.
    """
    if _answer_for_entry(ctx, what, Answer.APPROVED, by=by):
        return {"kind": OUR_NAME, "subject": what, "approved": True}
    with ctx.sessions.begin() as session:
        experiment = _waiting_experiment(ctx, session, what)
        if experiment is not None:
            _promote(ctx, session, experiment, by)
            kind = PROMOTION
        else:
            _submit(ctx, session, what, by)
            kind = SUBMISSION
    render_views(ctx)
    return {"kind": kind, "subject": what, "approved": True}


def reject(ctx: Context, what: str, *, by: str, reason: str) -> dict[str, Any]:
    """Decline what waits: a hypothesis is archived with the reason, a submission is not made, an entry is not ours.

    Raises InputError.
    """
    if _answer_for_entry(ctx, what, Answer.REJECTED, by=f"{by}: {reason}"):
        return {"kind": OUR_NAME, "subject": what, "approved": False}
    with ctx.sessions.begin() as session:
        experiment = _waiting_experiment(ctx, session, what)
        if experiment is not None:
            hypotheses.set_status(
                session=session, project=ctx.project, hypothesis_id=what, status=HypothesisStatus.ARCHIVED,
                reason=f"rejected by {by}: {reason}",
            )  # fmt: skip
            keys, kind = promotion_keys(session, experiment), PROMOTION
            experiments.settle(session=session, experiment_id=experiment.id, outcome=Outcome.REJECTED, reason=reason)
        else:
            keys, kind = [approval_key(what, production_config(ctx, session).id)], SUBMISSION
        if not records.resolve_all(
            session=session, project=ctx.project, keys=keys, resolution=f"rejected by {by}: {reason}"
        ):
            raise InputError(f"nothing called {what!r} waits for approval{_waiting(ctx, session)}")
        _log(ctx, session, kind, what, f"rejected by {by}: {reason}")
    render_views(ctx)
    return {"kind": kind, "subject": what, "approved": False}


def _answer_for_entry(ctx: Context, what: str, said: Answer, *, by: str) -> bool:
    """Write down whether an entry is ours and let it count so; False when no such question is open.

    A process that dies in between leaves the second part to the next scrape.
    """
    with ctx.sessions.begin() as session:
        if not our_entries.answer(ctx, session, what, said, by=by):
            return False
        _log(ctx, session, OUR_NAME, our_entries.board_of(what), f"{what}: {said} by {by}")
    leaderboard_scrape.judge_again(ctx, our_entries.board_of(what))
    leaderboard_scrape.update_landscape(ctx)
    return True


def _waiting_experiment(ctx: Context, session: Session, what: str) -> Experiment | None:
    try:
        experiment = experiment_of(ctx, session, what)
    except LookupError:
        return None
    return experiment if experiment.outcome is Outcome.WAITS_FOR_APPROVAL else None


def _promote(ctx: Context, session: Session, experiment: Experiment, by: str) -> None:
    current = production_config(ctx, session)
    if experiment.plan.control_params != current.candidate.params:
        raise RefusedError(
            f"production has changed since the gate decided about {experiment.plan.key}; "
            "reject it, the next sweep tries it against the new one"
        )
    decision = decisions.of_experiment(session=session, experiment_id=experiment.id)[-1]
    role = Role.CHALLENGER if decision.verdict is Verdict.CHALLENGER else Role.PRODUCTION
    take_role(ctx, session, experiment, decision, role)
    experiments.settle(
        session=session, experiment_id=experiment.id, outcome=Outcome(decision.verdict), reason=f"approved by {by}"
    )
    keys = promotion_keys(session, experiment)
    records.resolve_all(session=session, project=ctx.project, keys=keys, resolution=f"approved by {by}")
    _log(ctx, session, PROMOTION, experiment.plan.key, f"approved by {by}")


def _submit(ctx: Context, session: Session, board: str, by: str) -> None:
    current = production_config(ctx, session)
    key = approval_key(board, current.id)
    if board not in {b.name for b in wanted_boards(ctx)} or not records.resolve(
        session=session, project=ctx.project, key=key, resolution=f"approved by {by}"
    ):
        raise InputError(f"nothing called {board!r} waits for approval{_waiting(ctx, session)}")
    submissions.enqueue(
        session=session, project=ctx.project, board=board, production_config_id=current.id,
        payload={"approved_by": by},
    )  # fmt: skip
    _log(ctx, session, SUBMISSION, board, f"approved by {by}")


def _waiting(ctx: Context, session: Session) -> str:
    titles = [
        e.title for e in records.open_escalations(session=session, project=ctx.project) if e.key.startswith(ASKING)
    ]
    return f"; waiting: {'; '.join(titles)}" if titles else "; nothing waits"


def _log(ctx: Context, session: Session, kind: str, subject: str, reason: str) -> None:
    records.log(
        session=session, project=ctx.project, key=f"approval/{kind}/{subject}/{ctx.now().isoformat()}",
        kind=LogKind.APPROVAL, subject=subject, reason=f"{kind} {reason}", inputs={},
    )  # fmt: skip
