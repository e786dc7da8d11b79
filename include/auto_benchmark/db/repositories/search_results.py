"""What the search knows: results on the search split, by configuration."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from auto_benchmark.db.models import MetricValue, Trial
from auto_benchmark.experiments.trial import BenchmarkRef, Stage, TrialState
from auto_benchmark.registry.solution import Params

PURPOSE = "search"


def by_config(
    *, session: Session, project: str, solution: str, benchmark: BenchmarkRef, metric: str
) -> list[tuple[Params, tuple[float, ...]]]:
    """Every configuration that the search has tried, with its scores by seed; no scores where all its trials failed.

    Only search trials are read: gate results cannot reach the search through here.
    """
    t, m = Trial, MetricValue
    value = (m.trial_id == t.id) & (m.slice == "") & (m.name == metric)
    query = (
        select(t.config_hash, t.params, m.value)
        .outerjoin(m, value)
        .where(
            t.project == project,
            t.solution == solution,
            t.benchmark == benchmark.name,
            t.benchmark_version == benchmark.version,
            t.purpose == PURPOSE,
            t.stage == Stage.FAST.value,
            t.state.in_([TrialState.DONE.value, TrialState.FAILED.value]),
        )
        .order_by(t.id)
    )
    params: dict[str, Params] = {}
    scores: dict[str, list[float]] = {}
    for key, config, score in session.execute(query):
        params[key] = config
        scores.setdefault(key, [])
        if score is not None:
            scores[key].append(score)
    return [(params[key], tuple(scores[key])) for key in params]
