"""Experiments: opened once per key, closed once."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.contract.record import Experiment, ExperimentPlan
from auto_benchmark.contract.trial import BenchmarkRef
from auto_benchmark.db.models import Experiment as Row
from auto_benchmark.db.repositories.clock import at
from auto_benchmark.kinds import ExperimentKind, Outcome


def start(*, session: Session, project: str, plan: ExperimentPlan) -> Experiment:
    """Record an experiment, or return the one of the same kind and key as it was first recorded."""
    values = {
        "project": project, "kind": plan.kind, "key": plan.key, "hypothesis_id": plan.hypothesis_id,
        "solution": plan.solution, "benchmark": plan.benchmark.name, "benchmark_version": plan.benchmark.version,
        "params": plan.params, "config_hash": plan.config_hash, "control_params": plan.control_params,
        "control_config_hash": plan.control_config_hash, "reason": "", "tree": plan.tree,
        "control_tree": plan.control_tree,
    }  # fmt: skip
    session.execute(insert(Row).values(values).on_conflict_do_nothing())
    key = (Row.project == project, Row.kind == plan.kind, Row.key == plan.key)
    return _experiment(session.scalars(select(Row).where(*key)).one())


def get(*, session: Session, project: str, experiment_id: int) -> Experiment | None:
    """One experiment of the project; None for those of others, too."""
    row = session.get(Row, experiment_id)
    return None if row is None or row.project != project else _experiment(row)


def running(*, session: Session, project: str, kind: ExperimentKind | None = None) -> list[Experiment]:
    """Experiments without an outcome, oldest first."""
    query = select(Row).where(Row.project == project, Row.outcome.is_(None)).order_by(Row.id)
    if kind is not None:
        query = query.where(Row.kind == kind)
    return [_experiment(row) for row in session.scalars(query)]


def finish(
    *, session: Session, experiment_id: int, outcome: Outcome, reason: str, now: datetime | None = None
) -> bool:
    """Close an experiment; False when it was closed before (the first outcome stands)."""
    close = update(Row).where(Row.id == experiment_id, Row.outcome.is_(None))
    values = {"outcome": outcome, "reason": reason, "finished_at": at(now)}
    return session.scalar(close.values(values).returning(Row.id)) is not None


def settle(
    *, session: Session, experiment_id: int, outcome: Outcome, reason: str, now: datetime | None = None
) -> None:
    """Replace the outcome of a closed experiment: a person answered, or it was decided again."""
    values = {"outcome": outcome, "reason": reason, "finished_at": at(now)}
    session.execute(update(Row).where(Row.id == experiment_id).values(values))


def reopen(*, session: Session, experiment_id: int) -> None:
    """Take the outcome back: the experiment goes on."""
    session.execute(update(Row).where(Row.id == experiment_id).values(outcome=None, finished_at=None))


def _experiment(row: Row) -> Experiment:
    plan = ExperimentPlan(
        kind=ExperimentKind(row.kind), key=row.key, solution=row.solution, params=row.params,
        control_params=row.control_params,
        benchmark=BenchmarkRef(name=row.benchmark, version=row.benchmark_version), hypothesis_id=row.hypothesis_id,
        tree=row.tree, control_tree=row.control_tree,
    )  # fmt: skip
    return Experiment(id=row.id, plan=plan, outcome=Outcome(row.outcome) if row.outcome else None, reason=row.reason)


def counted(*, session: Session, project: str, kind: ExperimentKind, key_prefix: str) -> int:
    """How many experiments of ``kind`` have a key that begins with ``key_prefix``."""
    mine = (Row.project == project, Row.kind == kind, Row.key.startswith(key_prefix, autoescape=True))
    return session.scalar(select(func.count()).where(*mine)) or 0
