"""Which configuration is in production, which one is the challenger, and which were."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy import Select, select, update
from sqlalchemy.orm import Session

from auto_benchmark.contract.trial import BenchmarkRef
from auto_benchmark.db.models import ProductionConfig as Row
from auto_benchmark.db.models import Project
from auto_benchmark.db.repositories.clock import at
from auto_benchmark.errors import RefusedError
from auto_benchmark.promotion.production import ProductionCandidate, ProductionConfig, Role
from auto_benchmark.registry.solution import Params


def current(*, session: Session, project: str, role: Role = Role.PRODUCTION) -> ProductionConfig | None:
    """The configuration that holds ``role`` now."""
    row = session.scalar(_open(project, role))
    return None if row is None else _config(row)


def history(
    *, session: Session, project: str, role: Role = Role.PRODUCTION, limit: int = 100
) -> list[ProductionConfig]:
    """Holders of ``role``, newest first."""
    query = select(Row).where(Row.project == project, Row.role == role.value).order_by(Row.id.desc()).limit(limit)
    return [_config(row) for row in session.scalars(query)]


def promote(
    *,
    session: Session,
    project: str,
    candidate: ProductionCandidate,
    role: Role = Role.PRODUCTION,
    now: datetime | None = None,
) -> tuple[ProductionConfig, bool]:
    """Close the current holder of ``role`` and open ``candidate``; a new production config ends the challenger.

    The project's row is locked, so that promotions take turns. A candidate whose decision was carried out before,
    or that holds the role already, changes nothing.

    Returns:
        The holder, and whether this call changed it.
    """
    _take_turn(session, project)
    if candidate.decision_id is not None:
        done = select(Row).where(Row.decision_id == candidate.decision_id, Row.role == role.value)
        if (row := session.scalar(done)) is not None:
            return _config(row), False
    holder = session.scalar(_open(project, role))
    if holder is not None and (holder.config_hash, holder.tree) == (candidate.config_hash, candidate.tree):
        return _config(holder), False
    _close(session, project, role, f"replaced: {candidate.reason}", now)
    if role is Role.PRODUCTION:
        _close(session, project, Role.CHALLENGER, f"production changed: {candidate.reason}", now)
    return _config(_opened(session, project, role=role, candidate=candidate, restores=None, now=now)), True


def refit(
    *, session: Session, project: str, role: Role, params: Params, reason: str, now: datetime | None = None
) -> tuple[ProductionConfig, bool]:
    """Write down what the holder of ``role`` means since the solution's knobs have changed: the same one, restated.

    It keeps its expected scores, its hypothesis and, for a rollback, its place in the history.

    Returns:
        The holder, and whether this call changed it.

    Raises:
        LookupError: nothing holds the role.
    """
    _take_turn(session, project)
    holder = session.scalar(_open(project, role))
    if holder is None:
        raise LookupError(f"nothing is {role} in project {project!r}")
    old = _config(holder).candidate
    restated = replace(old, params=params, reason=f"{old.reason}; {reason}", decision_id=None)
    if restated.config_hash == holder.config_hash:
        return _config(holder), False
    _close(session, project, role, reason, now)
    first = holder.restores or holder.id
    return _config(_opened(session, project, role=role, candidate=restated, restores=first, now=now)), True


def rollback(*, session: Session, project: str, reason: str, now: datetime | None = None) -> ProductionConfig:
    """Put the configuration before the current one back into production.

    Rolling back twice goes two configurations back, not forth and back; what was rolled back once is never restored.

    Raises:
        RefusedError: there is nothing to go back to.
    """
    _take_turn(session, project)
    holder = session.scalar(_open(project, Role.PRODUCTION))
    if holder is None:
        raise RefusedError(f"project {project!r} has nothing in production")
    target = _before(session, project, holder)
    if target is None:
        raise RefusedError(f"project {project!r} has no earlier production configuration to go back to")
    _close(session, project, Role.PRODUCTION, f"rolled back: {reason}", now)
    old = _config(target).candidate
    restored = ProductionCandidate(
        solution=old.solution, benchmark=old.benchmark, params=old.params, scores=old.scores,
        reason=f"rollback: {reason}", hypothesis_id=old.hypothesis_id, tree=old.tree,
    )  # fmt: skip
    opened = _opened(session, project, role=Role.PRODUCTION, candidate=restored, restores=target.id, now=now)
    return _config(opened)


def dismiss_challenger(*, session: Session, project: str, reason: str, now: datetime | None = None) -> None:
    """End the challenger's role; experiments start from production again."""
    _take_turn(session, project)
    _close(session, project, Role.CHALLENGER, reason, now)


def _before(session: Session, project: str, holder: Row) -> Row | None:
    """What was in production when ``holder``'s configuration first took over; restorations count as the original."""
    same_role = (Row.project == project, Row.role == holder.role, Row.id < (holder.restores or holder.id))
    before = session.scalar(select(Row).where(*same_role).order_by(Row.id.desc()).limit(1))
    return before if before is None or before.restores is None else session.get(Row, before.restores)


def _take_turn(session: Session, project: str) -> None:
    session.execute(select(Project.name).where(Project.name == project).with_for_update(key_share=True)).one()


def _open(project: str, role: Role) -> Select[Row]:
    return select(Row).where(Row.project == project, Row.role == role.value, Row.closed_at.is_(None))


def _close(session: Session, project: str, role: Role, reason: str, now: datetime | None) -> None:
    holder = (Row.project == project, Row.role == role.value, Row.closed_at.is_(None))
    session.execute(update(Row).where(*holder).values(closed_at=at(now), closed_reason=reason))


def _opened(
    session: Session,
    project: str,
    *,
    role: Role,
    candidate: ProductionCandidate,
    restores: int | None,
    now: datetime | None,
) -> Row:
    row = Row(
        project=project, role=role.value, solution=candidate.solution, benchmark=candidate.benchmark.name,
        benchmark_version=candidate.benchmark.version, params=candidate.params, config_hash=candidate.config_hash,
        scores=dict(candidate.scores), hypothesis_id=candidate.hypothesis_id, decision_id=candidate.decision_id,
        restores=restores, reason=candidate.reason, opened_at=at(now), tree=candidate.tree,
    )  # fmt: skip
    session.add(row)
    session.flush()
    session.refresh(row)
    return row


def _config(row: Row) -> ProductionConfig:
    candidate = ProductionCandidate(
        solution=row.solution, benchmark=BenchmarkRef(name=row.benchmark, version=row.benchmark_version),
        params=row.params, scores=row.scores, reason=row.reason, hypothesis_id=row.hypothesis_id,
        decision_id=row.decision_id, tree=row.tree,
    )  # fmt: skip
    return ProductionConfig(
        id=row.id, role=Role(row.role), candidate=candidate, opened_at=row.opened_at, closed_at=row.closed_at,
        closed_reason=row.closed_reason, restores=row.restores,
    )  # fmt: skip
