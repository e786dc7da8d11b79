"""What the search knows: results on the search split, by configuration."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import fmean

from sqlalchemy import select
from sqlalchemy.orm import Session

from auto_benchmark.contract.trial import BenchmarkRef, Stage, TrialState
from auto_benchmark.db.models import MetricValue, Trial
from auto_benchmark.kinds import Purpose
from auto_benchmark.registry.solution import Params


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One configuration: its scores by seed, its mean per kind of question, and of the other metrics asked for.

    Attributes:
        folders: seed -> where that trial left its files, of trials that were scored.
    """

    params: Params
    scores: tuple[float, ...]
    slices: Mapping[str, float]
    others: Mapping[str, float]
    folders: Mapping[int, str]


def by_config(
    *, session: Session, project: str, solution: str, tree: str, benchmark: BenchmarkRef, metric: str,
    others: Collection[str] = (),
) -> list[SearchResult]:  # fmt: skip
    """Every configuration that the search has tried with the code ``tree``, with its scores by seed.

    It has no scores where all its trials failed, were pruned or were withdrawn. ``others`` are further metrics whose
    means are wanted. Only search trials are read: gate results cannot reach the search through here.
    """
    t, m = Trial, MetricValue
    value = (
        (m.trial_id == t.id)
        & (t.state == TrialState.DONE.value)
        & ((m.name == metric) | (m.name.in_(list(others)) & (m.slice == "")))
    )
    query = (
        select(t.config_hash, t.params, t.seed, t.artifact_uri, m.name, m.slice, m.value)
        .outerjoin(m, value)
        .where(
            t.project == project,
            t.solution == solution,
            t.tree == tree,
            t.benchmark == benchmark.name,
            t.benchmark_version == benchmark.version,
            t.purpose == Purpose.SEARCH,
            t.stage == Stage.FAST.value,
            t.state.in_([state.value for state in TrialState if state.is_finished]),
        )
        .order_by(t.id)
    )
    params: dict[str, Params] = {}
    scores: dict[str, dict[tuple[str, str], list[float]]] = {}
    folders_of: dict[str, dict[int, str]] = {}
    for key, config, seed, uri, name, part, score in session.execute(query):
        params[key] = config
        parts = scores.setdefault(key, {})
        if score is not None:
            parts.setdefault((name, part), []).append(score)
            if uri is not None:
                folders_of.setdefault(key, {})[seed] = uri
    return [
        SearchResult(
            params[key],
            tuple(parts.get((metric, ""), ())),
            {part: fmean(values) for (name, part), values in parts.items() if name == metric and part},
            {name: fmean(values) for (name, part), values in parts.items() if name != metric and not part},
            folders_of.get(key, {}),
        )
        for key, parts in scores.items()
    ]


def folders(
    *, session: Session, project: str, solution: str, tree: str, benchmark: BenchmarkRef, without: str, limit: int
) -> list[str]:
    """Where the newest finished search trials left their files, those of the configuration ``without`` left out."""
    t = Trial
    query = (
        select(t.artifact_uri)
        .where(
            t.project == project,
            t.solution == solution,
            t.tree == tree,
            t.benchmark == benchmark.name,
            t.benchmark_version == benchmark.version,
            t.purpose == Purpose.SEARCH,
            t.state == TrialState.DONE.value,
            t.config_hash != without,
            t.artifact_uri.is_not(None),
        )
        .order_by(t.id.desc())
        .limit(limit)
    )
    return [uri for uri in session.scalars(query) if uri is not None]
