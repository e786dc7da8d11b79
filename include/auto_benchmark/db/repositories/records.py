"""What people are told: the decision log, escalations, digests and cycle audits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.db.models import CycleAudit, DecisionLog, Digest, Escalation
from auto_benchmark.db.repositories.clock import at
from auto_benchmark.kinds import LogKind


class ApprovalAnswer(StrEnum):
    """What a person said to a question of yes or no."""

    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One automatic decision: what kind, about what, why, from which inputs (kind of row -> ids)."""

    id: int
    key: str
    kind: LogKind
    subject: str
    reason: str
    inputs: dict[str, Any]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class OpenEscalation:
    """Something that waits for a person."""

    key: str
    title: str
    brief: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class WeeklyDigest:
    """One week's digest; ``week`` is its Monday."""

    week: date
    markdown: str
    facts: dict[str, Any]
    sent_at: datetime | None


def log(
    *, session: Session, project: str, key: str, kind: LogKind, subject: str, reason: str,
    inputs: Mapping[str, Any] | None = None, now: datetime | None = None,
) -> bool:  # fmt: skip
    """Append a decision once per key; whether this call wrote it."""
    row = insert(DecisionLog).values(
        project=project, key=key, kind=kind, subject=subject, reason=reason, inputs=dict(inputs or {}),
        created_at=at(now),
    )  # fmt: skip
    return session.scalar(row.on_conflict_do_nothing().returning(DecisionLog.id)) is not None


def logged(
    *, session: Session, project: str, since: datetime | None = None, kind: LogKind | None = None,
    subject: str | None = None, limit: int = 100,
) -> list[LogEntry]:  # fmt: skip
    """Logged decisions, newest first; optionally of one kind, or about one subject."""
    d = DecisionLog
    query = select(d).where(d.project == project).order_by(d.created_at.desc(), d.id.desc()).limit(limit)
    if since is not None:
        query = query.where(d.created_at >= since)
    if kind is not None:
        query = query.where(d.kind == kind)
    if subject is not None:
        query = query.where(d.subject == subject)
    rows = session.scalars(query)
    return [LogEntry(r.id, r.key, LogKind(r.kind), r.subject, r.reason, r.inputs, r.created_at) for r in rows]


def imported(*, session: Session, token: str) -> dict[str, Any] | None:
    """What the import with this token has written down; None when it has never been committed."""
    d = DecisionLog
    return session.scalar(select(d.inputs).where(d.kind == LogKind.IMPORT, d.key == f"{LogKind.IMPORT}/{token}"))


def imported_at(*, session: Session, project: str) -> datetime | None:
    """When a project was imported last; None where it has grown here. Rows of the import are older than that."""
    d = DecisionLog
    query = select(d.created_at).where(d.project == project, d.kind == LogKind.IMPORT).order_by(d.id.desc()).limit(1)
    return session.scalar(query)


def escalate(
    *, session: Session, project: str, key: str, title: str, brief: str, inputs: Mapping[str, Any] | None = None,
    now: datetime | None = None, again: bool = False,
) -> bool:  # fmt: skip
    """Raise an escalation once per key; whether this call raised it.

    - ``again``: raise it anew where it was closed without an answer.
    """
    e = Escalation
    row = insert(e).values(
        project=project, key=key, title=title, brief=brief, inputs=dict(inputs or {}), created_at=at(now)
    )
    if again:
        anew = {name: row.excluded[name] for name in ("title", "brief", "inputs", "created_at")}
        row = row.on_conflict_do_update(
            index_elements=["project", "key"], set_={**anew, "resolved_at": None, "resolution": None},
            where=e.resolved_at.is_not(None) & e.answer.is_(None),
        )  # fmt: skip
    else:
        row = row.on_conflict_do_nothing()
    return session.scalar(row.returning(e.key)) is not None


def resolve(
    *, session: Session, project: str, key: str, resolution: str, answer: ApprovalAnswer | None = None,
    now: datetime | None = None,
) -> bool:  # fmt: skip
    """Close an open escalation; whether it was open.

    - ``answer``: what a person said, where later decisions rest on it.
    """
    e = Escalation
    close = update(e).where(e.project == project, e.key == key, e.resolved_at.is_(None))
    values = {"resolved_at": at(now), "resolution": resolution, "answer": answer}
    return session.scalar(close.values(values).returning(e.key)) is not None


def answered(*, session: Session, project: str, prefix: str) -> list[tuple[dict[str, Any], ApprovalAnswer]]:
    """What people answered to the escalations whose keys begin with ``prefix``: inputs, answer."""
    e = Escalation
    query = select(e.inputs, e.answer).where(e.project == project, e.key.startswith(prefix, autoescape=True))
    rows = session.execute(query.where(e.answer.is_not(None)).order_by(e.key))
    return [(row.inputs, ApprovalAnswer(row.answer)) for row in rows]


def resolve_all(*, session: Session, project: str, keys: Sequence[str], resolution: str) -> list[str]:
    """Close those of these escalations that are open; which they were."""
    return [key for key in keys if resolve(session=session, project=project, key=key, resolution=resolution)]


def resolve_others(*, session: Session, project: str, prefix: str, keep: Collection[str], resolution: str) -> None:
    """Close the open escalations whose keys begin with ``prefix``, but those to ``keep``."""
    waiting = open_escalations(session=session, project=project)
    keys = [e.key for e in waiting if e.key.startswith(prefix) and e.key not in keep]
    resolve_all(session=session, project=project, keys=keys, resolution=resolution)


def open_escalations(*, session: Session, project: str) -> list[OpenEscalation]:
    """Escalations that wait for a person, oldest first."""
    e = Escalation
    query = select(e).where(e.project == project, e.resolved_at.is_(None)).order_by(e.created_at, e.key)
    return [OpenEscalation(r.key, r.title, r.brief, r.created_at) for r in session.scalars(query)]


def all_open_escalations(*, session: Session) -> list[tuple[str, str]]:
    """Project and key of everything that waits for a person, in any project."""
    query = select(Escalation.project, Escalation.key).where(Escalation.resolved_at.is_(None))
    return [(project, key) for project, key in session.execute(query)]


def save_digest(*, session: Session, project: str, week: date, markdown: str, facts: Mapping[str, Any]) -> None:
    """Write the digest of a week; a second run of the same week replaces the text."""
    row = insert(Digest).values(project=project, week=week, markdown=markdown, facts=dict(facts))
    changed = {"markdown": row.excluded.markdown, "facts": row.excluded.facts}
    session.execute(row.on_conflict_do_update(index_elements=["project", "week"], set_=changed))


def digest(*, session: Session, project: str, week: date) -> WeeklyDigest | None:
    """The digest of a week."""
    row = session.get(Digest, (project, week), populate_existing=True)
    return None if row is None else WeeklyDigest(row.week, row.markdown, row.facts, row.sent_at)


def digests(*, session: Session, project: str, limit: int = 50) -> list[WeeklyDigest]:
    """The digests of a project, newest week first."""
    d = Digest
    query = select(d).where(d.project == project).order_by(d.week.desc()).limit(limit)
    return [WeeklyDigest(r.week, r.markdown, r.facts, r.sent_at) for r in session.scalars(query)]


def audit(
    *, session: Session, project: str, cycle: str, checks: Sequence[Mapping[str, Any]], now: datetime | None = None
) -> bool:
    """Record the checks of a cycle; auditing it again replaces them. Returns whether none failed.

    ``passed`` is None for a check that does not apply.
    """
    passed = all(check["passed"] is not False for check in checks)
    row = insert(CycleAudit).values(
        project=project, cycle=cycle, passed=passed, checks=[dict(check) for check in checks], audited_at=at(now)
    )
    changed = {name: row.excluded[name] for name in ("passed", "checks", "audited_at")}
    session.execute(row.on_conflict_do_update(index_elements=["project", "cycle"], set_=changed))
    return passed
