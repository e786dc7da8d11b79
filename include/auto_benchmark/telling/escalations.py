"""A person's answer to what waits, found by the key of the question that the person has read.

:mod:`approvals` takes the name of a hypothesis or board; a page shows a question that may be answered or outdated by
the time somebody presses its button, so that it names the question itself.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.boards import our_entries
from auto_benchmark.contract.record import Experiment
from auto_benchmark.db.repositories import decisions, experiments, production, records
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.experiments.outcome.promotion import APPROVE_PROMOTION, promotion_keys
from auto_benchmark.experiments.submission import APPROVE_SUBMISSION, asked_about
from auto_benchmark.kinds import LogKind, Outcome
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import production_config
from auto_benchmark.promotion.production import RecordedDecision
from auto_benchmark.telling import approvals

LONGEST_NUMBER = 18
"""Digits of a number that surely is none of Postgres' beyond its largest."""


def kind_of(key: str) -> str:
    """What a question is about: ``promotion``, ``submission`` and ``our_name`` are answered, ``other`` is closed."""
    kinds = {
        APPROVE_PROMOTION: approvals.PROMOTION,
        APPROVE_SUBMISSION: approvals.SUBMISSION,
        our_entries.OUR_NAME: approvals.OUR_NAME,
    }
    return next((kind for start, kind in kinds.items() if key.startswith(start)), "other")


def approve(ctx: Context, key: str, *, by: str, reason: str) -> dict[str, Any]:
    """:func:`approvals.approve` what a question asks for.

    Raises:
        InputError: no such question waits, or it asks for no approval.
        RefusedError: what it asks for has been decided anew since.
    """
    return approvals.approve(ctx, _subject(ctx, key), by=f"{by}: {reason}")


def reject(ctx: Context, key: str, *, by: str, reason: str) -> dict[str, Any]:
    """:func:`approvals.reject` what a question asks for. Raises as :func:`approve`."""
    return approvals.reject(ctx, _subject(ctx, key), by=by, reason=reason)


def close(ctx: Context, key: str, *, by: str, reason: str) -> dict[str, Any]:
    """Note how a person has dealt with a question that asks for no approval, or for one that is outdated.

    Returns:
        ``{"key", "closed"}``.

    Raises:
        InputError: no such question waits, or it wants to be approved or rejected.
    """
    with ctx.sessions.begin() as session:
        answerable = kind_of(key) != "other" and outdated(session, key, ctx.project) is None
        if answerable and _waits(ctx, session, key):
            raise InputError(f"{key!r} is approved or rejected, not closed")
        if not records.resolve(session=session, project=ctx.project, key=key, resolution=f"{by}: {reason}"):
            raise InputError(f"nothing called {key!r} waits for a person")
        records.log(
            session=session, project=ctx.project, key=f"closed/{key}", kind=LogKind.ESCALATION, subject=key,
            reason=f"closed by {by}: {reason}", inputs={"by": by},
        )  # fmt: skip
    return {"key": key, "closed": True}


def outdated(session: Session, key: str, project: str) -> str | None:
    """Why a question for approval can be answered no more, and is closed instead; None when it can."""
    if kind_of(key) == approvals.SUBMISSION:
        current = production.current(session=session, project=project)
        asked = current is not None and asked_about(key) == str(current.id)
        return None if asked else "production has changed since this was asked; a newer question asks for it"
    if kind_of(key) != approvals.PROMOTION:
        return None
    experiment = _experiment(session, key, project)
    if experiment is None or experiment.outcome is not Outcome.WAITS_FOR_APPROVAL:
        return "the experiment waits for nobody any more"
    latest = promotion_keys(session, experiment)[-1] == key
    return None if latest else "the experiment has been decided again since this was asked"


def subject_of(session: Session, key: str, project: str) -> str:
    """What a person names to answer a question: a hypothesis, a board, board and score, or the question's own key."""
    if kind_of(key) == approvals.OUR_NAME:
        return key.removeprefix(our_entries.OUR_NAME)
    if kind_of(key) == approvals.SUBMISSION:
        return key.removeprefix(APPROVE_SUBMISSION).rpartition("/")[0]
    experiment = _experiment(session, key, project) if kind_of(key) == approvals.PROMOTION else None
    return key if experiment is None else experiment.plan.key


def decision_behind(ctx: Context, session: Session, key: str) -> RecordedDecision | None:
    """The gate's decision that a question rests on; None where it rests on something else."""
    if kind_of(key) == approvals.PROMOTION:
        return _asked_decision(session, key, ctx.project)
    if kind_of(key) != approvals.SUBMISSION:
        return None
    current = production_config(ctx, session)
    made = current.candidate.decision_id if asked_about(key) == str(current.id) else None
    return None if made is None else decisions.get(session=session, project=ctx.project, decision_id=made)


def _subject(ctx: Context, key: str) -> str:
    with ctx.sessions() as session:
        if not _waits(ctx, session, key):
            raise InputError(f"nothing called {key!r} waits for a person")
        if kind_of(key) == "other":
            raise InputError(f"{key!r} asks for no approval; close it with what was done")
        if reason := outdated(session, key, ctx.project):
            raise RefusedError(f"{reason}; close {key!r}")
        return subject_of(session, key, ctx.project)


def _waits(ctx: Context, session: Session, key: str) -> bool:
    return key in {e.key for e in records.open_escalations(session=session, project=ctx.project)}


def _asked_decision(session: Session, key: str, project: str) -> RecordedDecision | None:
    """The decision of the project whose number stands in the key of a question for a promotion."""
    number = key.removeprefix(APPROVE_PROMOTION)
    if not number.isdecimal() or len(number) > LONGEST_NUMBER:
        return None
    return decisions.get(session=session, project=project, decision_id=int(number))


def _experiment(session: Session, key: str, project: str) -> Experiment | None:
    made = _asked_decision(session, key, project)
    if made is None:
        return None
    return experiments.get(session=session, project=project, experiment_id=made.experiment_id)
