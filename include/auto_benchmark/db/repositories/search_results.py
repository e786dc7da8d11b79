"""What the search knows: results on the search split, by configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from sqlalchemy import select
from sqlalchemy.orm import Session

from auto_benchmark.db.models import MetricValue, Trial
from auto_benchmark.experiments.trial import BenchmarkRef, Stage, TrialState
from auto_benchmark.registry.solution import Params

PURPOSE = "search"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One configuration: its scores by seed, and its mean per kind of question."""

    params: Params
    scores: tuple[float, ...]
    slices: Mapping[str, float]


def by_config(
    *, session: Session, project: str, solution: str, benchmark: BenchmarkRef, metric: str
) -> list[SearchResult]:
    """Every configuration that the search has tried, with its scores by seed; no scores where all its trials failed.

    Only search trials are read: gate results cannot reach the search through here.
    """
    t, m = Trial, MetricValue
    value = (m.trial_id == t.id) & (m.name == metric)
    query = (
        select(t.config_hash, t.params, m.slice, m.value)
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
    scores: dict[str, dict[str, list[float]]] = {}
    for key, config, part, score in session.execute(query):
        params[key] = config
        parts = scores.setdefault(key, {})
        if score is not None:
            parts.setdefault(part, []).append(score)
    return [
        SearchResult(
            params[key], tuple(parts.get("", ())), {name: fmean(values) for name, values in parts.items() if name}
        )
        for key, parts in scores.items()
    ]
