"""Which draw of the gate's items is in use, and how many questions it has answered."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.contract.record import ExperimentPlan
from auto_benchmark.contract.trial import BenchmarkRef, TrialState
from auto_benchmark.db.models import Experiment, GateDraw, Hypothesis, PromotionDecision, Trial
from auto_benchmark.kinds import ExperimentKind


def latest(*, session: Session, project: str, data: BenchmarkRef) -> int | None:
    """Number of the newest draw; None while the first is in use. ``data``: with the version of the first draw."""
    mine = (
        GateDraw.project == project, GateDraw.benchmark == data.name, GateDraw.benchmark_version == data.version,
    )  # fmt: skip
    return session.scalar(select(func.max(GateDraw.number)).where(*mine))


def add(*, session: Session, project: str, data: BenchmarkRef, number: int, reason: str) -> bool:
    """Record a draw; False when somebody else did. ``data`` as for :func:`latest`."""
    values = {"project": project, "benchmark": data.name, "benchmark_version": data.version, "number": number}
    row = insert(GateDraw).values(**values, reason=reason).on_conflict_do_nothing()
    return session.scalar(row.returning(GateDraw.number)) is not None


def questions(*, session: Session, project: str, data: BenchmarkRef) -> dict[str, int]:
    """Source of hypotheses -> how many of them the gate has judged on the items of ``data``, at whatever look."""
    e, d, h = Experiment, PromotionDecision, Hypothesis
    query = (
        select(h.source, func.count(e.id.distinct()))
        .join(e, (e.project == h.project) & (e.hypothesis_id == h.id))
        .join(d, d.experiment_id == e.id)
        .where(
            e.project == project, e.kind == ExperimentKind.HYPOTHESIS, e.benchmark == data.name,
            e.benchmark_version == data.version,
        )
        .group_by(h.source)
        .order_by(h.source)
    )  # fmt: skip
    return dict(session.execute(query).tuples().all())


def versions_of_unfinished_trials(*, session: Session, project: str, benchmark: str) -> set[str]:
    """Versions of the benchmark that trials wait for or run on."""
    mine = (Trial.project == project, Trial.benchmark == benchmark, _unfinished())
    return set(session.scalars(select(Trial.benchmark_version).where(*mine).distinct()))


def unfinished_trials(*, session: Session, project: str, benchmark: str, versions: Collection[str]) -> list[int]:
    """Ids of trials on these versions that have not ended."""
    mine = (Trial.project == project, Trial.benchmark == benchmark, Trial.benchmark_version.in_(list(versions)))
    return list(session.scalars(select(Trial.id).where(*mine, _unfinished()).order_by(Trial.id)))


def move(*, session: Session, experiment_id: int, plan: ExperimentPlan) -> None:
    """Let an open experiment go on with the benchmark of ``plan``."""
    values = {
        "benchmark": plan.benchmark.name, "benchmark_version": plan.benchmark.version,
        "config_hash": plan.config_hash, "control_config_hash": plan.control_config_hash,
    }  # fmt: skip
    session.execute(update(Experiment).where(Experiment.id == experiment_id).values(values))


def _unfinished() -> ColumnElement[bool]:
    return Trial.state.in_([state.value for state in TrialState if not state.is_finished])
