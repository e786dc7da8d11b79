"""Trials: planned once, held by one worker at a time, finished exactly once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, or_, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.record import Trial, TrialPlan, TrialResult
from auto_benchmark.contract.seed_batches import may_share_a_process
from auto_benchmark.contract.trial import BenchmarkRef, Stage, TrialState
from auto_benchmark.db.models import ItemResults, MetricValue
from auto_benchmark.db.models import Trial as Row
from auto_benchmark.db.repositories import split_queries
from auto_benchmark.db.repositories.clock import after, at
from auto_benchmark.kinds import Lane

MOST_ATTEMPTS = 4
"""A trial whose workers vanish this often is given up as killed, so that it cannot keep killing workers."""

_KEY = ("config_hash", "benchmark_version", "stage", "subset", "seed", "purpose", "tree")


def plan(*, session: Session, project: str, plans: Sequence[TrialPlan]) -> list[Trial]:
    """Record trials that do not exist yet; return all of them, in the order of ``plans``, with their states."""
    if not plans:
        return []
    rows = [_row(project, one) for one in plans]
    session.execute(insert(Row).values(rows).on_conflict_do_nothing())
    keys = [tuple(row[column] for column in _KEY) for row in rows]
    query = select(Row).where(Row.project == project, tuple_(*(getattr(Row, column) for column in _KEY)).in_(keys))
    found = {tuple(getattr(row, column) for column in _KEY): row for row in session.scalars(query)}
    return [_trial(found[key]) for key in keys]


def get(*, session: Session, project: str, trial_id: int) -> Trial | None:
    """One trial of the project; None for those of others, too."""
    row = session.get(Row, trial_id, populate_existing=True)
    return None if row is None or row.project != project else _trial(row)


def companions(*, session: Session, trial_id: int, limit: int) -> list[int]:
    """Ids of planned trials that may share a process with a trial, oldest first."""
    own = session.get(Row, trial_id)
    if own is None:
        return []
    planned = (Row.project == own.project, Row.state == TrialState.PLANNED.value, Row.id != trial_id)
    others = session.scalars(select(Row).where(*planned, Row.config_hash == own.config_hash).order_by(Row.id))
    mine = _trial(own).plan
    return [row.id for row in others if may_share_a_process(_trial(row).plan, mine)][:limit]


def of_experiment(*, session: Session, experiment_id: int) -> list[Trial]:
    """The trials that were first planned for an experiment, in order of planning."""
    query = select(Row).where(Row.experiment_id == experiment_id).order_by(Row.id)
    return [_trial(row) for row in session.scalars(query)]


def counts(*, session: Session, project: str) -> dict[TrialState, int]:
    """State -> number of trials."""
    query = select(Row.state, func.count()).where(Row.project == project).group_by(Row.state)
    return {TrialState(state): number for state, number in session.execute(query)}


def unfinished(*, session: Session, project: str) -> set[int]:
    """Ids of the trials to which something may still happen."""
    alive = [state.value for state in TrialState if not state.is_finished]
    return set(session.scalars(select(Row.id).where(Row.project == project, Row.state.in_(alive))))


def held(*, session: Session, project: str, now: datetime | None = None) -> set[int]:
    """Ids of the trials on which somebody works: running, under a lease that has not expired."""
    mine = (Row.project == project, Row.state == TrialState.RUNNING.value, Row.lease_expires_at >= at(now))
    return set(session.scalars(select(Row.id).where(*mine)))


def claim(
    *, session: Session, project: str, owner: str, lease_s: float, limit: int = 1,
    trial_ids: Collection[int] | None = None, queue: str | None = None, now: datetime | None = None,
) -> list[Trial]:  # fmt: skip
    """Take up to ``limit`` trials that are planned, or running under an expired lease; they run from now on.

    ``owner`` must be unique to the attempt: it is the token with which the attempt is finished. Commit at once.

    - ``trial_ids``: only of these.
    - ``queue``: only of this queue.
    """
    give_up_on_lost(session=session, project=project, now=now)
    expired = (Row.state == TrialState.RUNNING.value) & (Row.lease_expires_at < at(now))
    free = select(Row.id).where(Row.project == project, or_(Row.state == TrialState.PLANNED.value, expired))
    if trial_ids is not None:
        free = free.where(Row.id.in_(list(trial_ids)))
    if queue is not None:
        free = free.where(Row.queue == queue)
    best = free.order_by(Row.priority.desc(), Row.id).limit(limit).with_for_update(skip_locked=True)
    ids = list(session.scalars(best))
    taken = update(Row).where(Row.id.in_(ids)).values(
        state=TrialState.RUNNING.value, lease_owner=owner, lease_expires_at=after(now, lease_s),
        heartbeat_at=at(now), started_at=at(now), attempts=Row.attempts + 1,
    )  # fmt: skip
    rows = session.scalars(taken.returning(Row).execution_options(populate_existing=True)).all() if ids else []
    return [_trial(row) for row in sorted(rows, key=lambda row: ids.index(row.id))]


def heartbeat(
    *, session: Session, trial_ids: Collection[int], owner: str, lease_s: float, now: datetime | None = None
) -> set[int]:
    """Extend leases; returns the ids that are still ``owner``'s (stop working on the others)."""
    mine = (Row.id.in_(list(trial_ids)), Row.lease_owner == owner, Row.state == TrialState.RUNNING.value)
    extended = update(Row).where(*mine).values(lease_expires_at=after(now, lease_s), heartbeat_at=at(now))
    return set(session.scalars(extended.returning(Row.id)))


def finish(*, session: Session, trial_id: int, owner: str, result: TrialResult, now: datetime | None = None) -> bool:
    """Record the result of a trial, and count the query of its split.

    Returns:
        False when ``owner`` does not hold the trial any more; nothing is recorded then.
    """
    fingerprint = dict(result.fingerprint)
    values: dict[str, Any] = {
        "state": TrialState.DONE.value, "finished_at": at(now), "artifact_uri": result.artifact_uri,
        "fingerprint": fingerprint, "fingerprint_hash": fingerprint_hash(fingerprint), "wall_s": result.wall_s,
        "gpu_seconds": result.gpu_seconds, "cost": result.cost, "failure_class": None, "message": None,
    }  # fmt: skip
    if result.failures:
        mine = (Row.id == trial_id, Row.lease_owner == owner)
        before = session.scalar(select(Row.failures).where(*mine).with_for_update())
        values["failures"] = [*(before or []), *(failure.value for failure in result.failures)]
    row = _close(session, trial_id, owner, values)
    if row is None:
        return False
    write_scores(session=session, project=row.project, trial_id=trial_id, result=result)
    split_queries.count(
        session=session, project=row.project, benchmark=row.benchmark, version=row.benchmark_version, split=row.split,
        purpose=row.purpose,
    )  # fmt: skip
    return True


def fail(
    *, session: Session, trial_id: int, owner: str, failure: FailureClass, message: str,
    artifact_uri: str | None = None, wall_s: float | None = None, final: bool = False, now: datetime | None = None,
    fingerprint: Mapping[str, Any] | None = None,
) -> TrialState | None:  # fmt: skip
    """Record a failed attempt: the trial is planned again while its class may be retried, and failed after that.

    - ``final``: its worker has already tried as often as its class allows.
    - ``fingerprint``: what it ran on, where that is known.

    Returns:
        The new state; None when ``owner`` does not hold the trial any more.
    """
    mine = (Row.id == trial_id, Row.lease_owner == owner, Row.state == TrialState.RUNNING.value)
    failures = session.scalar(select(Row.failures).where(*mine).with_for_update())
    if failures is None:
        return None
    again = not final and [*failures, failure.value].count(failure.value) <= failure.retries
    state = TrialState.PLANNED if again else TrialState.FAILED
    values: dict[str, Any] = {
        "state": state.value, "failures": [*failures, failure.value], "failure_class": failure.value,
        "message": message[-4000:], "artifact_uri": artifact_uri, "wall_s": wall_s,
        "finished_at": None if again else at(now),
    }  # fmt: skip
    if fingerprint:
        values |= {"fingerprint": dict(fingerprint), "fingerprint_hash": fingerprint_hash(fingerprint)}
    _close(session, trial_id, owner, values)
    return state


def release(*, session: Session, trial_id: int, owner: str) -> bool:
    """Give a running trial back as planned: it was stopped for a reason that is not its own."""
    values = {"state": TrialState.PLANNED.value, "attempts": Row.attempts - 1}
    return _close(session, trial_id, owner, values) is not None


def waiting(*, session: Session, project: str, purposes: Collection[str], experiment_id: int | None) -> list[int]:
    """Ids of trials that are still planned, of one experiment or of none, for the given purposes."""
    mine = Row.experiment_id.is_(None) if experiment_id is None else Row.experiment_id == experiment_id
    planned = (Row.project == project, Row.state == TrialState.PLANNED.value, Row.purpose.in_(list(purposes)))
    return list(session.scalars(select(Row.id).where(*planned, mine).order_by(Row.id)))


def cancel(*, session: Session, trial_ids: Collection[int], reason: str, now: datetime | None = None) -> set[int]:
    """Cancel trials that are not finished; a running one loses its lease. Returns the ids that were cancelled."""
    alive = Row.state.in_([state.value for state in TrialState if not state.is_finished])
    values = {"state": TrialState.CANCELLED.value, "message": reason, "finished_at": at(now), "lease_owner": None}
    stopped = update(Row).where(Row.id.in_(list(trial_ids)), alive).values(values)
    return set(session.scalars(stopped.returning(Row.id)))


def invalidate(*, session: Session, project: str, trial_ids: Collection[int], reason: str) -> set[int]:
    """Withdraw finished trials: they stay on record, as cancelled, and nothing counts them any more."""
    done = (Row.project == project, Row.id.in_(list(trial_ids)), Row.state == TrialState.DONE.value)
    values = {"state": TrialState.CANCELLED.value, "message": f"invalid: {reason}"}
    return set(session.scalars(update(Row).where(*done).values(values).returning(Row.id)))


def on_dataset(*, session: Session, project: str, benchmark: str, version: str) -> list[int]:
    """Ids of the finished trials on one version of a benchmark."""
    done = (Row.project == project, Row.benchmark == benchmark, Row.benchmark_version == version)
    return list(session.scalars(select(Row.id).where(*done, Row.state == TrialState.DONE.value).order_by(Row.id)))


def write_scores(*, session: Session, project: str, trial_id: int, result: TrialResult) -> None:
    """Replace the scores of a trial: when it finishes, and when it is rescored."""
    scores = result.scores
    parts = {"": scores.metrics, **scores.slices}
    metrics = [
        {"project": project, "trial_id": trial_id, "slice": part, "name": name, "value": value}
        for part, values in parts.items()
        for name, value in values.items()
    ]
    items = [
        {"project": project, "trial_id": trial_id, "metric": name, "items": values}
        for name, values in scores.items.items()
    ]
    session.execute(delete(MetricValue).where(MetricValue.trial_id == trial_id))
    session.execute(delete(ItemResults).where(ItemResults.trial_id == trial_id))
    session.execute(insert(MetricValue), metrics)
    if items:
        session.execute(insert(ItemResults), items)


def give_up_on_lost(*, session: Session, project: str, now: datetime | None = None) -> set[int]:
    """Fail, as killed, the trials whose workers have vanished :data:`MOST_ATTEMPTS` times. Returns their ids."""
    lost = update(Row).where(
        Row.project == project, Row.state == TrialState.RUNNING.value, Row.lease_expires_at < at(now),
        Row.attempts >= MOST_ATTEMPTS,
    )  # fmt: skip
    values = {
        "state": TrialState.FAILED.value, "failure_class": FailureClass.KILLED.value, "finished_at": at(now),
        "message": f"its worker vanished in each of {MOST_ATTEMPTS} attempts", "lease_owner": None,
    }  # fmt: skip
    return set(session.scalars(lost.values(values).returning(Row.id)))


def fingerprint_hash(fingerprint: Mapping[str, Any]) -> str:
    """16 hex digits that are equal where trials are comparable: the fingerprint's own key where it has one."""
    if "key" in fingerprint:
        return str(fingerprint["key"])
    text = json.dumps(dict(fingerprint), sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _close(session: Session, trial_id: int, owner: str, values: Mapping[str, Any]) -> Row | None:
    mine = (Row.id == trial_id, Row.lease_owner == owner, Row.state == TrialState.RUNNING.value)
    freed = {"lease_owner": None, "lease_expires_at": None, "heartbeat_at": None}
    closed = update(Row).where(*mine).values({**values, **freed}).returning(Row)
    return session.scalar(closed.execution_options(populate_existing=True))


def _row(project: str, one: TrialPlan) -> dict[str, Any]:
    return {
        "project": project, "experiment_id": one.experiment_id, "solution": one.solution, "params": one.params,
        "config_hash": one.config_hash, "benchmark": one.benchmark.name, "benchmark_version": one.benchmark.version,
        "stage": one.stage.value, "split": one.stage.evaluates.value, "subset": one.subset, "seed": one.seed,
        "purpose": one.purpose, "tree": one.tree, "budget_s": one.budget_s, "queue": one.queue, "priority": one.priority,
        "state": TrialState.PLANNED.value,
    }  # fmt: skip


def _trial(row: Row) -> Trial:
    planned = TrialPlan(
        solution=row.solution, params=row.params, stage=Stage(row.stage), seed=row.seed, purpose=row.purpose,
        benchmark=BenchmarkRef(name=row.benchmark, version=row.benchmark_version), subset=row.subset,
        budget_s=row.budget_s, experiment_id=row.experiment_id, queue=Lane(row.queue), priority=row.priority,
        tree=row.tree,
    )  # fmt: skip
    return Trial(
        id=row.id, plan=planned, state=TrialState(row.state), attempts=row.attempts,
        failures=tuple(FailureClass(name) for name in row.failures), message=row.message,
        failure_class=FailureClass(row.failure_class) if row.failure_class else None, artifact_uri=row.artifact_uri,
    )  # fmt: skip
