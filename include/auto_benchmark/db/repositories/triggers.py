"""Triggers that the decision log holds, and which of them a run has answered."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from auto_benchmark.db.models import DecisionLog
from auto_benchmark.db.repositories import records
from auto_benchmark.kinds import LogKind


def waiting(*, session: Session, project: str, action: str) -> str | None:
    """Key of the newest trigger of an action; None where no run has to answer it any more.

    A run answers every trigger of the action up to the newest one, so that one row per answer is enough. What an import
    has brought was answered, or not, where it came from.
    """
    newest = _newest(session, project, action)
    return newest if newest is not None and _owner(session, project, newest) is None else None


def claim(*, session: Session, project: str, action: str, owner: str, now: datetime | None = None) -> bool:
    """Answer every trigger of an action for ``owner``; whether the newest one is now the owner's.

    Two owners never get the same trigger. The same owner may ask again. The claim holds once the caller commits.
    """
    newest = _newest(session, project, action)
    if newest is None:
        return False
    records.log(
        session=session, project=project, key=_answer(newest), kind=LogKind.ANSWER, subject=action,
        reason=f"answered by {owner}", inputs={"owner": owner}, now=now,
    )  # fmt: skip
    return _owner(session, project, newest) == owner


def claim_one(
    *, session: Session, project: str, action: str, owner: str, done: Collection[str], now: datetime | None = None
) -> str | None:
    """Answer the oldest trigger of an action that :func:`open_to` an owner; what it is about, or None.

    For actions of which a run answers one board at a time: the newest trigger stays open until it is its turn.
    """
    for trigger in _open(session, project, action, owner, done):
        records.log(
            session=session, project=project, key=_answer(trigger.key), kind=LogKind.ANSWER, subject=action,
            reason=f"answered by {owner}", inputs={"owner": owner}, now=now,
        )  # fmt: skip
        if _owner(session, project, trigger.key) == owner:
            return str(trigger.subject)
    return None


def open_to(*, session: Session, project: str, action: str, owner: str, done: Collection[str]) -> bool:
    """Whether a trigger of an action is free, or the owner's from a run that was killed before it was done.

    Args:
        session: a transaction.
        project: name.
        action: what was triggered.
        owner: name of the run; that of the command line has the same in every run.
        done: what triggers are about that have had their answer to its end.
    """
    return any(_open(session, project, action, owner, done))


def _open(session: Session, project: str, action: str, owner: str, done: Collection[str]) -> Iterator[Any]:
    for trigger in reversed(session.execute(_all(session, project, action)).all()):
        if trigger.subject not in done and _owner(session, project, trigger.key) in {None, owner}:
            yield trigger


def _newest(session: Session, project: str, action: str) -> str | None:
    newest = session.execute(_all(session, project, action).limit(1)).one_or_none()
    return None if newest is None else str(newest.key)


def _all(session: Session, project: str, action: str) -> Select[str, str]:
    """Every trigger of an action, newest first, without those that an import has brought."""
    d = DecisionLog
    query = select(d.key, d.subject).where(
        d.project == project, d.kind == LogKind.TRIGGER, d.inputs["action"].as_string() == action
    )
    if (imported_at := records.imported_at(session=session, project=project)) is not None:
        query = query.where(d.created_at > imported_at)
    return query.order_by(d.created_at.desc(), d.id.desc())


def _owner(session: Session, project: str, trigger: str) -> str | None:
    d = DecisionLog
    return session.scalar(
        select(d.inputs["owner"].as_string()).where(d.project == project, d.key == _answer(trigger))
    )


def _answer(trigger: str) -> str:
    """Key of the row that says who has answered a trigger."""
    return f"{LogKind.ANSWER}/{trigger}"
