"""The outbox: what is to be sent is written where it is decided, and sent afterwards, at least once.

The receiver is given the idempotency key, which makes "at least once" count as once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.db.models import OutboxMessage as Row
from auto_benchmark.db.repositories.clock import after, at

FIRST_DELAY_S = 5.0
LONGEST_DELAY_S = 3600.0
MOST_ATTEMPTS = 12


@dataclass(frozen=True, slots=True)
class Message:
    """Something to be sent. ``attempts`` counts this one too."""

    id: int
    project: str
    topic: str
    idempotency_key: str
    payload: dict[str, Any]
    attempts: int


@dataclass(frozen=True, slots=True)
class Delivered:
    """A message and what became of it; ``response`` is what the receiver said."""

    idempotency_key: str
    state: str
    payload: dict[str, Any]
    response: dict[str, Any] | None
    created_at: datetime


def enqueue(
    *, session: Session, project: str, topic: str, idempotency_key: str, payload: Mapping[str, Any],
    now: datetime | None = None,
) -> bool:  # fmt: skip
    """Write a message once per (topic, idempotency key); whether this call wrote it."""
    row = insert(Row).values(
        project=project, topic=topic, idempotency_key=idempotency_key, payload=dict(payload), due_at=at(now)
    )
    return session.scalar(row.on_conflict_do_nothing().returning(Row.id)) is not None


def claim(
    *, session: Session, owner: str, lease_s: float, limit: int = 10, project: str | None = None,
    topic: str | None = None, now: datetime | None = None,
) -> list[Message]:  # fmt: skip
    """Take due messages, oldest first. Commit before sending; afterwards mark each as sent or failed."""
    free = or_(Row.lease_expires_at.is_(None), Row.lease_expires_at < at(now))
    due = select(Row.id).where(Row.state == "pending", Row.due_at <= at(now), free)
    if project is not None:
        due = due.where(Row.project == project)
    if topic is not None:
        due = due.where(Row.topic == topic)
    ids = list(session.scalars(due.order_by(Row.due_at, Row.id).limit(limit).with_for_update(skip_locked=True)))
    if not ids:
        return []
    taken = update(Row).where(Row.id.in_(ids)).values(
        lease_owner=owner, lease_expires_at=after(now, lease_s), heartbeat_at=at(now), attempts=Row.attempts + 1
    )  # fmt: skip
    rows = session.scalars(taken.returning(Row).execution_options(populate_existing=True)).all()
    return [_message(row) for row in sorted(rows, key=lambda row: ids.index(row.id))]


def held(*, session: Session, project: str, topic: str, now: datetime | None = None) -> int:
    """How many due messages somebody else is sending at this moment, or has died over less than a lease ago."""
    waiting = (Row.project == project, Row.topic == topic, Row.state == "pending", Row.due_at <= at(now))
    return session.scalar(select(func.count()).where(*waiting, Row.lease_expires_at >= at(now))) or 0


def mark_sent(
    *, session: Session, message_id: int, owner: str, response: Mapping[str, Any] | None = None,
    now: datetime | None = None,
) -> bool:  # fmt: skip
    """Note that a message was sent; False when ``owner`` does not hold it any more."""
    values = {"state": "sent", "sent_at": at(now), "response": dict(response) if response is not None else None}
    return _release(session, message_id, owner, values)


def mark_failed(
    *, session: Session, message_id: int, owner: str, error: str, final: bool = False,
    retry_after_s: float | None = None, now: datetime | None = None,
) -> bool:  # fmt: skip
    """Note that sending failed: it is due again after a delay that doubles each time, or never again.

    - ``final``: the receiver has refused it for good.
    - ``retry_after_s``: what the receiver asked for, instead of the doubling delay.

    Returns:
        Whether it will be tried again; False also when ``owner`` does not hold it any more.
    """
    attempts = session.scalar(select(Row.attempts).where(Row.id == message_id, Row.lease_owner == owner))
    if attempts is None:
        return False
    again = not final and attempts < MOST_ATTEMPTS
    delay = min(FIRST_DELAY_S * 2 ** (attempts - 1), LONGEST_DELAY_S) if retry_after_s is None else retry_after_s
    values = {"state": "pending" if again else "dead", "last_error": error[-2000:], "due_at": after(now, delay)}
    return _release(session, message_id, owner, values) and again


def postpone(*, session: Session, message_id: int, owner: str, error: str, due_at: datetime | None = None) -> bool:
    """Give a message back unsent, however often it was tried; False when ``owner`` does not hold it any more.

    - ``due_at``: when it is due again; without it the message keeps its place in the order.
    """
    later = {} if due_at is None else {"due_at": due_at}
    return _release(session, message_id, owner, {"last_error": error[-2000:], **later})


def answers(*, session: Session, project: str, topic: str, since: datetime | None = None) -> list[Delivered]:
    """Messages of a topic with what became of them, in the order in which they were written."""
    query = select(Row).where(Row.project == project, Row.topic == topic).order_by(Row.id)
    if since is not None:
        query = query.where(Row.created_at >= since)
    return [_delivered(row) for row in session.scalars(query)]


def answer(*, session: Session, project: str, topic: str, idempotency_key: str) -> Delivered | None:
    """One message with what became of it."""
    key = (Row.project == project, Row.topic == topic, Row.idempotency_key == idempotency_key)
    row = session.scalar(select(Row).where(*key))
    return None if row is None else _delivered(row)


def pending(*, session: Session, project: str) -> dict[str, int]:
    """Topic -> number of messages not sent yet."""
    query = select(Row.topic, func.count()).where(Row.project == project, Row.state == "pending")
    return dict(session.execute(query.group_by(Row.topic).order_by(Row.topic)).tuples().all())


def _release(session: Session, message_id: int, owner: str, values: Mapping[str, Any]) -> bool:
    mine = (Row.id == message_id, Row.lease_owner == owner, Row.state == "pending")
    freed = {"lease_owner": None, "lease_expires_at": None, "heartbeat_at": None}
    return session.scalar(update(Row).where(*mine).values({**values, **freed}).returning(Row.id)) is not None


def _delivered(row: Row) -> Delivered:
    return Delivered(row.idempotency_key, row.state, row.payload, row.response, row.created_at)


def _message(row: Row) -> Message:
    return Message(row.id, row.project, row.topic, row.idempotency_key, row.payload, row.attempts)
