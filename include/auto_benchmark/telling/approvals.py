"""What a person answers: approvals of promotions and submissions, hand-ins, whether an entry is ours; and what is closed.

At a terminal a person names the hypothesis or board. On the page a question may be answered or outdated by the time a
button is pressed, so the page names the question itself.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.boards import doubts, our_entries, saturation
from auto_benchmark.boards.landscape import note, update_landscape
from auto_benchmark.boards.scrape import judge_again, take_in_believed
from auto_benchmark.contract.record import Experiment
from auto_benchmark.db.repositories import decisions, experiments, hypotheses, records, submissions
from auto_benchmark.db.repositories.records import ApprovalAnswer
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.experiments.gate.rounds import experiment_of
from auto_benchmark.experiments.hand_in import HAND_IN, hand_in_key, note_handed_in
from auto_benchmark.experiments.outcome.promotion import outcome_of, promotion_keys, take_role
from auto_benchmark.experiments.submission import approval_key, wanted_boards
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus
from auto_benchmark.kinds import LogKind, Outcome
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import production_config
from auto_benchmark.project.reconcile import render_views
from auto_benchmark.promotion.production import Role
from auto_benchmark.promotion.schema import Verdict
from auto_benchmark.telling.questions import (
    CONSTRUCTION,
    DOUBT,
    HANDING_IN,
    OTHER,
    OUR_NAME,
    PROMOTION,
    SUBMISSION,
    kind_of,
    outdated,
    subject_of,
)
from auto_benchmark.telling.technical_log import write_logs

ASKING = ("approve-", HAND_IN, our_entries.OUR_NAME, doubts.DOUBT, saturation.CONSTRUCTION)
"""How the keys of questions begin that are approved or rejected."""


def approve(ctx: Context, what: str, *, by: str) -> dict[str, Any]:
    """Let what waits go on.

    Args:
        ctx: the project.
        what: id of a hypothesis whose promotion waits, name of a board whose submission waits, ``<board>/<score>`` of
            an unconfirmed entry under our name, ``doubt/<board>/<document>`` of a reading that looks impossible, or
            ``construction/<board>`` of a saturated board.
        by: who says so; stands in the log.

    Returns:
        ``{"kind", "subject", "approved"}``, and ``outdated``: what cannot be approved any more, where there is such.

    Raises:
        InputError: nothing of that name waits.
        RefusedError: production has changed since the gate decided; the comparison does not hold any more.
    """
    if _answer_for_entry(ctx, what, ApprovalAnswer.APPROVED, by=by):
        return {"kind": OUR_NAME, "subject": what, "approved": True}
    if _answer_about_reading(ctx, what, ApprovalAnswer.APPROVED, by=by):
        return {"kind": DOUBT, "subject": what, "approved": True}
    if _answer_about_construction(ctx, what, ApprovalAnswer.APPROVED, by=by):
        return {"kind": CONSTRUCTION, "subject": what, "approved": True}
    with ctx.sessions.begin() as session:
        experiment = _waiting_experiment(ctx, session, what)
        if experiment is not None:
            _promote(ctx, session, experiment, by)
            kind = PROMOTION
        else:
            kind = _submit(ctx, session, what, by)
    _tell(ctx)
    return {"kind": kind, "subject": what, "approved": True} | (_now_outdated(ctx) if kind == PROMOTION else {})


def reject(ctx: Context, what: str, *, by: str, reason: str) -> dict[str, Any]:
    """Decline what waits: a hypothesis is archived with the reason, a submission is not made, an entry is not ours.

    Raises InputError.
    """
    if _answer_for_entry(ctx, what, ApprovalAnswer.REJECTED, by=f"{by}: {reason}"):
        return {"kind": OUR_NAME, "subject": what, "approved": False}
    if _answer_about_reading(ctx, what, ApprovalAnswer.REJECTED, by=f"{by}: {reason}"):
        return {"kind": DOUBT, "subject": what, "approved": False}
    if _answer_about_construction(ctx, what, ApprovalAnswer.REJECTED, by=f"{by}: {reason}"):
        return {"kind": CONSTRUCTION, "subject": what, "approved": False}
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
            current = production_config(ctx, session)
            kind = HANDING_IN if _asks_to_hand_in(ctx, session, what) else SUBMISSION
            keys = [approval_key(what, current.id), hand_in_key(what, current.id)]
        if not records.resolve_all(
            session=session, project=ctx.project, keys=keys, resolution=f"rejected by {by}: {reason}"
        ):
            raise InputError(
                f"nothing called {what!r} waits for approval in the project {ctx.project!r}{_waiting(ctx, session)}"
            )
        _log(ctx, session, kind, what, f"rejected by {by}: {reason}")
    _tell(ctx)
    return {"kind": kind, "subject": what, "approved": False}


def _tell(ctx: Context) -> None:
    """Bring the files that people read up to date; the next cycle would, hours later."""
    render_views(ctx)
    write_logs(ctx)


def _now_outdated(ctx: Context) -> dict[str, Any]:
    """What cannot be approved any more and still waits for a person to close it, where there is such."""
    with ctx.sessions() as session:
        asked = [e.key for e in records.open_escalations(session=session, project=ctx.project)]
        found = [subject_of(session, key, ctx.project) for key in asked if outdated(session, key, ctx.project)]
    return {"outdated": found} if found else {}


def _answer_for_entry(ctx: Context, what: str, said: ApprovalAnswer, *, by: str) -> bool:
    """Write down whether an entry is ours and let it count so; False when no such question is open.

    A process that dies in between leaves the second part to the next scrape.
    """
    with ctx.sessions.begin() as session:
        if not our_entries.answer(ctx, session, what, said, by=by):
            return False
        _log(ctx, session, OUR_NAME, our_entries.board_of(what), f"{what}: {said} by {by}")
    judge_again(ctx, our_entries.board_of(what))
    update_landscape(ctx)
    return True


def _answer_about_reading(ctx: Context, what: str, said: ApprovalAnswer, *, by: str) -> bool:
    """Take in a reading that looked impossible, or not; False when no such question is open.

    A process that dies in between leaves the second part to the next scrape.
    """
    with ctx.sessions.begin() as session:
        found = doubts.answer(ctx, session, what, said, by=by)
        if found is None:
            return False
        _log(ctx, session, DOUBT, found.board, f"{what}: {said} by {by}")
    if said is ApprovalAnswer.APPROVED and take_in_believed(ctx, found):
        update_landscape(ctx)
    return True


def _answer_about_construction(ctx: Context, what: str, said: ApprovalAnswer, *, by: str) -> bool:
    """Start the construction of the benchmark that follows a board, or not; False when no such question is open."""
    with ctx.sessions.begin() as session:
        started = saturation.answer(ctx, session, what, said, by=by)
        if started is None:
            return False
        for trigger in started:
            note(ctx, session, trigger)
        _log(ctx, session, CONSTRUCTION, what, f"{said} by {by}")
    return True


def _waiting_experiment(ctx: Context, session: Session, what: str) -> Experiment | None:
    try:
        experiment = experiment_of(ctx, session, what)
    except LookupError:
        return None
    return experiment if experiment.outcome is Outcome.WAITS_FOR_APPROVAL else None


def _promote(ctx: Context, session: Session, experiment: Experiment, by: str) -> None:
    current = production_config(ctx, session)
    if not experiment.plan.is_against(current.candidate.params, current.candidate.tree):
        raise RefusedError(
            f"production has changed since the gate decided about {experiment.plan.key}; "
            "reject it, the next sweep tries it against the new one"
        )
    decision = decisions.of_experiment(session=session, experiment_id=experiment.id)[-1]
    role = Role.CHALLENGER if decision.verdict is Verdict.CHALLENGER else Role.PRODUCTION
    take_role(ctx, session, experiment, decision, role)
    experiments.settle(
        session=session, experiment_id=experiment.id, outcome=outcome_of(role), reason=f"approved by {by}"
    )
    keys = promotion_keys(session, experiment)
    records.resolve_all(session=session, project=ctx.project, keys=keys, resolution=f"approved by {by}")
    _log(ctx, session, PROMOTION, experiment.plan.key, f"approved by {by}")


def _asks_to_hand_in(ctx: Context, session: Session, board: str) -> bool:
    key = hand_in_key(board, production_config(ctx, session).id)
    return key in {e.key for e in records.open_escalations(session=session, project=ctx.project)}


def _submit(ctx: Context, session: Session, board: str, by: str) -> str:
    """Let a submission go out, or note that a person has made it; the kind of question that was answered."""
    current = production_config(ctx, session)
    handed_in = hand_in_key(board, current.id)
    if records.resolve(session=session, project=ctx.project, key=handed_in, resolution=f"handed in by {by}"):
        note_handed_in(ctx, session, board, current, by=by)
        _log(ctx, session, HANDING_IN, board, f"handed in by {by}")
        return HANDING_IN
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
    return SUBMISSION


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


def approve_question(ctx: Context, key: str, *, by: str, reason: str) -> dict[str, Any]:
    """:func:`approve` what a question asks for.

    Raises:
        InputError: no such question waits, or it asks for no approval.
        RefusedError: what it asks for has been decided anew since.
    """
    return approve(ctx, _subject(ctx, key), by=f"{by}: {reason}")


def reject_question(ctx: Context, key: str, *, by: str, reason: str) -> dict[str, Any]:
    """:func:`reject` what a question asks for. Raises as :func:`approve_question`."""
    return reject(ctx, _subject(ctx, key), by=by, reason=reason)


def close(ctx: Context, key: str, *, by: str, reason: str) -> dict[str, Any]:
    """Close a question that is outdated or asks for no approval, and note what was done about it.

    Returns:
        ``{"key", "closed"}``.

    Raises:
        InputError: no such question waits, or it wants to be approved or rejected.
    """
    with ctx.sessions.begin() as session:
        is_outdated = outdated(session, key, ctx.project)
        answerable = kind_of(key) != OTHER and is_outdated is None
        if answerable and _waits(ctx, session, key):
            raise InputError(f"{key!r} has to be approved or rejected, not closed")
        if not records.resolve(session=session, project=ctx.project, key=key, resolution=f"{by}: {reason}"):
            raise InputError(f"nothing called {key!r} waits for a person")
        _end_outdated(ctx, session, key, f"{is_outdated}; closed by {by}: {reason}")
        records.log(
            session=session, project=ctx.project, key=f"closed/{key}", kind=LogKind.ESCALATION, subject=key,
            reason=f"closed by {by}: {reason}", inputs={"by": by},
        )  # fmt: skip
    return {"key": key, "closed": True}


def _end_outdated(ctx: Context, session: Session, key: str, reason: str) -> None:
    """Archive the hypothesis whose outdated question is closed: nothing else would ever end it."""
    subject = subject_of(session, key, ctx.project)
    experiment = _waiting_experiment(ctx, session, subject) if kind_of(key) == PROMOTION else None
    if experiment is None or promotion_keys(session, experiment)[-1] != key:
        return
    hypotheses.set_status(
        session=session, project=ctx.project, hypothesis_id=subject, status=HypothesisStatus.ARCHIVED, reason=reason
    )
    experiments.settle(session=session, experiment_id=experiment.id, outcome=Outcome.REJECTED, reason=reason)


def _subject(ctx: Context, key: str) -> str:
    with ctx.sessions() as session:
        if not _waits(ctx, session, key):
            raise InputError(f"nothing called {key!r} waits for a person")
        if kind_of(key) == OTHER:
            raise InputError(f"{key!r} asks for no approval; close it with what was done")
        if reason := outdated(session, key, ctx.project):
            raise RefusedError(f"{reason}; close {key!r}")
        return subject_of(session, key, ctx.project)


def _waits(ctx: Context, session: Session, key: str) -> bool:
    return key in {e.key for e in records.open_escalations(session=session, project=ctx.project)}
