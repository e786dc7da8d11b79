"""Finished trials as the gate sees them, and the noise between seeds that they show."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Double, cast, func, or_, select
from sqlalchemy.orm import Session

from auto_benchmark.contract.failure import Blame, blamed
from auto_benchmark.contract.trial import Stage, TrialState
from auto_benchmark.db.models import ItemResults, MetricValue, Trial
from auto_benchmark.promotion.schema import Failures, Noise, Observation


@dataclass(frozen=True, slots=True)
class FinishedTrial:
    """The observation of one trial; a decision records the ids that it used."""

    trial_id: int
    purpose: str
    observation: Observation


def of_config(
    *, session: Session, project: str, config_hash: str, stage: Stage, items_of: str | None = None,
    subset: float = 1.0, purposes: Collection[str] | None = None, fingerprint_hash: str | None = None,
    tree: str | None = None,
) -> list[FinishedTrial]:  # fmt: skip
    """Finished trials of a configuration at a stage, by seed; the earliest where a seed was run more than once.

    - ``items_of``: the metric whose per-item results are wanted too.
    - ``purposes``: only trials run for one of these (a winner's selected trials must not become its control).
    - ``tree``: only trials of this code.
    """
    query = (
        select(Trial.id, Trial.seed, Trial.purpose)
        .where(
            Trial.project == project, Trial.config_hash == config_hash, Trial.stage == stage.value,
            Trial.subset == subset, Trial.state == TrialState.DONE.value,
        )
        .distinct(Trial.seed)
        .order_by(Trial.seed, Trial.id)
    )  # fmt: skip
    if purposes is not None:
        query = query.where(Trial.purpose.in_(list(purposes)))
    if fingerprint_hash is not None:
        query = query.where(Trial.fingerprint_hash == fingerprint_hash)
    if tree is not None:
        query = query.where(Trial.tree == tree)
    rows = session.execute(query).all()
    ids = [row.id for row in rows]
    metrics = metrics_of(session=session, trial_ids=ids)
    items = items_of_trials(session=session, trial_ids=ids, metric=items_of) if items_of else {}
    return [
        FinishedTrial(
            row.id, row.purpose, Observation(seed=row.seed, metrics=metrics.get(row.id, {}), items=items.get(row.id))
        )
        for row in rows
    ]


def failures_of(
    *, session: Session, project: str, config_hash: str, stage: Stage, purposes: Collection[str], subset: float = 1.0,
    fingerprint_hash: str | None = None, tree: str | None = None,
) -> Failures:  # fmt: skip
    """How many seeds of a configuration have been run, and how many of them failed by what the trial did.

    One that needed a further attempt has failed too: another attempt is another draw. Where no trial can be started
    (``environment_error``) nothing is known of the configuration. A single seed that was killed and then ended, or that
    itself said that its environment is wrong while others of its seeds ended, is forgiven: machines are taken away, too.

    - ``fingerprint_hash``: only trials that ran on this, or of which it is not known.
    - ``tree``: only trials of this code.
    """
    query = select(Trial.seed, Trial.state, Trial.failures, Trial.wall_s).where(
        Trial.project == project, Trial.config_hash == config_hash, Trial.stage == stage.value, Trial.subset == subset,
        Trial.state.in_([TrialState.DONE.value, TrialState.FAILED.value]), Trial.purpose.in_(list(purposes)),
    )  # fmt: skip
    if fingerprint_hash is not None:
        query = query.where(or_(Trial.fingerprint_hash == fingerprint_hash, Trial.fingerprint_hash.is_(None)))
    if tree is not None:
        query = query.where(Trial.tree == tree)
    unknown, forgivable = blamed(Blame.MACHINE), blamed(Blame.FORGIVEN_ONCE)
    seeds, failed, excused = set[int](), set[int](), set[int]()
    for seed, state, failures, wall_s in session.execute(query):
        own = [failure for failure in failures if failure not in unknown]
        if len(own) < len(failures) and wall_s:  # it ran: only its own exit code blames the environment
            excused.add(seed)
        if own or state == TrialState.DONE.value:
            seeds.add(seed)
        is_forgivable = state == TrialState.DONE.value and set(own) <= forgivable
        if own:
            (excused if is_forgivable else failed).add(seed)
    if seeds and len(excused) > 1:
        seeds |= excused
        failed |= excused
    return Failures(seeds=len(seeds), failed=len(failed))


def metrics_of(*, session: Session, trial_ids: Collection[int]) -> dict[int, dict[str, float]]:
    """Trial id -> metric -> value over the whole split."""
    m = MetricValue
    query = select(m.trial_id, m.name, m.value).where(m.trial_id.in_(list(trial_ids)), m.slice == "")
    found: dict[int, dict[str, float]] = {}
    for trial_id, name, value in session.execute(query.order_by(m.trial_id, m.name)):
        found.setdefault(trial_id, {})[name] = value
    return found


def slices_of(*, session: Session, trial_ids: Collection[int]) -> dict[int, dict[str, dict[str, float]]]:
    """Trial id -> slice -> metric -> value; the whole split is not a slice."""
    m = MetricValue
    query = select(m.trial_id, m.slice, m.name, m.value).where(m.trial_id.in_(list(trial_ids)), m.slice != "")
    found: dict[int, dict[str, dict[str, float]]] = {}
    for trial_id, part, name, value in session.execute(query.order_by(m.trial_id, m.slice, m.name)):
        found.setdefault(trial_id, {}).setdefault(part, {})[name] = value
    return found


def items_of_trials(*, session: Session, trial_ids: Collection[int], metric: str) -> dict[int, dict[str, float]]:
    """Trial id -> item id -> value of ``metric``."""
    i = ItemResults
    query = select(i.trial_id, i.items).where(i.trial_id.in_(list(trial_ids)), i.metric == metric)
    return {trial_id: {key: float(v) for key, v in items.items()} for trial_id, items in session.execute(query)}


def pooled_noise(
    *, session: Session, project: str, solution: str, benchmark: str, version: str, metric: str,
    stage: Stage = Stage.FULL, subset: float = 1.0, fingerprint_hashes: Collection[str] | None = None,
    without: Collection[int] = (),
) -> Noise | None:  # fmt: skip
    """Standard deviation between seeds, pooled over all configurations of a solution on a benchmark version.

    Within each configuration (and fingerprint) with n >= 2 seeds the sample variance has n - 1 degrees of freedom;
    the pooled variance is their mean weighted by these, as in the one-way analysis of variance.

    - ``fingerprint_hashes``: pool only trials that ran on these; all otherwise, still never across fingerprints.
    - ``without``: ids of trials under suspicion; a change among them must not pass for noise.

    Returns:
        None when no configuration has two seeds.
    """
    t, m = Trial, MetricValue
    per_seed = (
        select(t.config_hash, t.fingerprint_hash, t.seed, func.avg(m.value).label("value"))
        .join(m, (m.trial_id == t.id) & (m.slice == "") & (m.name == metric))
        .where(
            t.project == project, t.solution == solution, t.benchmark == benchmark, t.benchmark_version == version,
            t.stage == stage.value, t.subset == subset, t.state == TrialState.DONE.value,
        )
        .group_by(t.config_hash, t.fingerprint_hash, t.seed)
    )  # fmt: skip
    if without:
        per_seed = per_seed.where(t.id.not_in(list(without)))
    if fingerprint_hashes is not None:
        per_seed = per_seed.where(t.fingerprint_hash.in_(list(fingerprint_hashes)))
    seeds = per_seed.subquery()
    df = func.count() - 1
    groups = (
        select(df.label("df"), (func.var_samp(seeds.c.value) * df).label("ss"))
        .group_by(seeds.c.config_hash, seeds.c.fingerprint_hash)
        .having(func.count() > 1)
        .subquery()
    )
    sd = func.sqrt(cast(func.sum(groups.c.ss) / func.sum(groups.c.df), Double))
    row = session.execute(select(sd, func.sum(groups.c.df))).one()
    return None if row[1] is None else Noise(sd=float(row[0]), df=int(row[1]))
