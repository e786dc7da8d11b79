"""The experiment queue: hypotheses, their ids, and who works on which."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.db.models import Experiment, Project
from auto_benchmark.db.models import Hypothesis as Row
from auto_benchmark.db.repositories.clock import after, at
from auto_benchmark.db.repositories.judged_claims import judged_claims
from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus, Implementation, Urgency
from auto_benchmark.hypotheses.origin import origin_in
from auto_benchmark.hypotheses.queue import ORDER, overflow, ranked, score_of
from auto_benchmark.hypotheses.source_prior import priors, worth_of
from auto_benchmark.kinds import ExperimentKind

UNNUMBERED = "H-000"
"""Id of a hypothesis that has not been recorded yet."""
_ORDER = tuple(getattr(Row, name[1:]).desc() if name[0] == "-" else getattr(Row, name) for name in ORDER)


def add(*, session: Session, project: str, hypothesis: Hypothesis, question: str = "") -> tuple[Hypothesis, bool]:
    """Record a hypothesis under the project's next id, unless its configuration and code were already asked this question.

    Numbers have no gaps: the project's counter is locked until the transaction ends, and taken back with it.

    - ``hypothesis``: its ``id`` is ignored (write :data:`UNNUMBERED`).
    - ``question``: what is asked about the configuration, for configurations worth asking twice.

    Returns:
        The recorded hypothesis, and whether it is new.
    """
    session.execute(select(Project.name).where(Project.name == project).with_for_update(key_share=True)).one()
    same = (
        Row.project == project, Row.config_hash == hypothesis.config_hash, Row.tree == hypothesis.tree,
        Row.question == question,
    )  # fmt: skip
    if (known := session.scalar(select(Row).where(*same))) is not None:
        return _hypothesis(known), False
    counted = update(Project).where(Project.name == project).values(last_hypothesis=Project.last_hypothesis + 1)
    number = session.scalars(counted.returning(Project.last_hypothesis)).one()
    recorded = hypothesis.model_copy(update={"id": f"H-{number:03d}"})
    values = recorded.model_dump(mode="json")
    session.execute(insert(Row).values(project=project, number=number, question=question, **values))
    return recorded, True


def get(*, session: Session, project: str, hypothesis_id: str) -> Hypothesis | None:
    """One hypothesis."""
    row = session.scalar(select(Row).where(Row.project == project, Row.id == hypothesis_id))
    return None if row is None else _hypothesis(row)


def listed(
    *, session: Session, project: str, statuses: Collection[HypothesisStatus] | None = None, limit: int | None = None
) -> list[Hypothesis]:
    """Hypotheses in the order of the queue; of the given statuses, or all."""
    query = select(Row).where(Row.project == project).order_by(*_ORDER).limit(limit)
    if statuses is not None:
        query = query.where(Row.status.in_([status.value for status in statuses]))
    return [_hypothesis(row) for row in session.scalars(query)]


def queue(*, session: Session, project: str, limit: int | None = None) -> list[Hypothesis]:
    """Open hypotheses (queued or active) by priority, highest first."""
    statuses = [status for status in HypothesisStatus if status.is_open]
    return listed(session=session, project=project, statuses=statuses, limit=limit)


def rank(*, session: Session, project: str) -> list[Hypothesis]:
    """Weigh open hypotheses by the queue's rules, with what claims of their source have kept until now.

    Returns:
        Those that have moved: their source is worth something else by now, or a version with other rules queued them.
    """
    known = priors(judged_claims(session=session, project=project))
    moved = []
    for waiting in queue(session=session, project=project):
        worth = worth_of(waiting.origin, known)
        if (worth, score_of(waiting, worth)) != (waiting.worth, waiting.priority_score):
            moved.append(ranked(waiting, worth=worth))
            set_priority(session=session, project=project, hypothesis=moved[-1])
    return moved


def trim(*, session: Session, project: str) -> None:
    """Rank the queue and archive what waits beyond its limit, with the reason."""
    rank(session=session, project=project)
    for surplus, reason in overflow(queue(session=session, project=project)):
        set_status(
            session=session,
            project=project,
            hypothesis_id=surplus.id,
            status=HypothesisStatus.SUPERSEDED,
            reason=reason,
            only_from=[HypothesisStatus.QUEUED],
        )


def set_status(
    *, session: Session, project: str, hypothesis_id: str, status: HypothesisStatus, reason: str,
    only_from: Collection[HypothesisStatus] | None = None, now: datetime | None = None,
) -> bool:  # fmt: skip
    """Move a hypothesis to ``status`` with a reason; its lease ends unless it becomes active.

    Returns:
        Whether it was moved: False when it does not exist or is in none of the statuses ``only_from``.
    """
    values: dict[str, Any] = {"status": status.value, "reason": reason, "updated_at": at(now)}
    if status is not HypothesisStatus.ACTIVE:
        values |= {"lease_owner": None, "lease_expires_at": None, "heartbeat_at": None}
    change = update(Row).where(Row.project == project, Row.id == hypothesis_id)
    if only_from is not None:
        change = change.where(Row.status.in_([old.value for old in only_from]))
    return session.scalar(change.values(values).returning(Row.number)) is not None


def set_priority(*, session: Session, project: str, hypothesis: Hypothesis) -> bool:
    """Rank an open hypothesis as ``hypothesis`` has it; whether it was open."""
    is_open = Row.status.in_([status.value for status in HypothesisStatus if status.is_open])
    change = update(Row).where(Row.project == project, Row.id == hypothesis.id, is_open)
    values = {
        "priority_score": hypothesis.priority_score, "worth": hypothesis.worth, "urgency": hypothesis.urgency.value,
        "updated_at": func.now(),
    }  # fmt: skip
    return session.scalar(change.values(values).returning(Row.number)) is not None


def refit(
    *, session: Session, project: str, hypothesis_id: str, implementation: Implementation, config_hash: str,
    tree: str | None = None,
) -> bool:  # fmt: skip
    """Restate the change of a hypothesis; False where another one already asks about that configuration."""
    mine = select(Row).where(Row.project == project, Row.id == hypothesis_id).with_for_update()
    row = session.scalars(mine).one()
    same = (
        Row.project == project, Row.config_hash == config_hash, Row.tree == (row.tree if tree is None else tree),
        Row.question == row.question, Row.id != row.id,
    )  # fmt: skip
    if session.scalar(select(Row.id).where(*same).limit(1)) is not None:
        return False
    row.implementation, row.config_hash = implementation.model_dump(mode="json"), config_hash
    row.tree = row.tree if tree is None else tree
    session.flush()
    return True


def tried(*, session: Session, project: str, question: str = "") -> set[str]:
    """Hashes of every configuration that was ever asked ``question``, dead ends included."""
    query = select(Row.config_hash).where(Row.project == project, Row.question == question)
    return set(session.scalars(query))


def claim(
    *, session: Session, project: str, owner: str, lease_s: float, hypothesis_id: str | None = None,
    urgency: Urgency | None = None, with_code: bool = True, now: datetime | None = None,
) -> Hypothesis | None:  # fmt: skip
    """Take the best hypothesis that is queued, or active under an expired lease; it becomes active.

    One that ``owner`` already holds comes first, so that a claim may be repeated.

    - ``hypothesis_id``: take this one or none.
    - ``urgency``: only of this urgency.
    - ``with_code``: changes of code, too.

    Returns:
        None when nothing is free.
    """
    mine_or_expired = or_(Row.lease_owner == owner, Row.lease_expires_at < at(now))
    expired = (Row.status == HypothesisStatus.ACTIVE.value) & mine_or_expired
    free = select(Row.id).where(Row.project == project, or_(Row.status == HypothesisStatus.QUEUED.value, expired))
    if hypothesis_id is not None:
        free = free.where(Row.id == hypothesis_id)
    if urgency is not None:
        free = free.where(Row.urgency == urgency.value)
    if not with_code:
        free = free.where(Row.implementation["code"].as_string().is_(None))
    held = (Row.lease_owner == owner).is_(True)
    best = free.order_by(held.desc(), *_ORDER).limit(1)
    best = best.with_for_update(skip_locked=True)
    taken = (
        update(Row)
        .where(Row.project == project, Row.id == best.scalar_subquery())
        .values(
            status=HypothesisStatus.ACTIVE.value, lease_owner=owner, lease_expires_at=after(now, lease_s),
            heartbeat_at=at(now), attempts=Row.attempts + 1, updated_at=at(now),
        )
        .returning(Row)
        .execution_options(populate_existing=True)
    )  # fmt: skip
    row = session.scalar(taken)
    return None if row is None else _hypothesis(row)


def heartbeat(
    *, session: Session, project: str, hypothesis_id: str, owner: str, lease_s: float, now: datetime | None = None
) -> bool:
    """Extend the lease; False when it is no longer ``owner``'s (stop working on it then)."""
    mine = (Row.project == project, Row.id == hypothesis_id, Row.lease_owner == owner)
    extended = update(Row).where(*mine).values(lease_expires_at=after(now, lease_s), heartbeat_at=at(now))
    return session.scalar(extended.returning(Row.number)) is not None


def outcome_counts(*, session: Session, project: str) -> dict[str, int]:
    """Status -> number of hypotheses."""
    query = select(Row.status, func.count()).where(Row.project == project).group_by(Row.status)
    return dict(session.execute(query).tuples().all())


def experiment_of(*, session: Session, project: str, hypothesis_id: str) -> int | None:
    """Id of the experiment that tests a hypothesis."""
    mine = (
        Experiment.project == project,
        Experiment.kind == ExperimentKind.HYPOTHESIS,
        Experiment.key == hypothesis_id,
    )
    return session.scalar(select(Experiment.id).where(*mine))


def _hypothesis(row: Row) -> Hypothesis:
    return Hypothesis(
        id=row.id, title=row.title, claim=row.claim, source=row.source,
        origin=row.origin or origin_in(row.source), worth=row.worth, target_leaderboards=row.target_leaderboards,
        implementation=Implementation.model_validate(row.implementation), priority_score=row.priority_score,
        urgency=Urgency(row.urgency), status=HypothesisStatus(row.status), config_hash=row.config_hash,
        reason=row.reason, tree=row.tree,
    )  # fmt: skip
