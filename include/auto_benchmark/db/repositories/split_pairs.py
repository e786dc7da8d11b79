"""What the same hypotheses scored on the search split and at the gate."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from auto_benchmark.contract.trial import TrialState
from auto_benchmark.db.models import Experiment, MetricValue, Trial
from auto_benchmark.kinds import ExperimentKind, Outcome, Purpose
from auto_benchmark.registry.solution import Params

DECLINED = (Outcome.REJECTED, Outcome.WAITS_FOR_APPROVAL)
"""Experiments that a person has found wanting, or has not judged yet, are no measure for others."""


@dataclass(frozen=True, slots=True)
class SplitScores:
    """Mean scores of an experiment's candidate; None where nothing was measured.

    Attributes:
        validated: on the part of the search split that every hypothesis is checked on.
        gate: on the gate split.
        counts: whether it is a measure for others.
    """

    experiment_id: int
    params: Params
    tree: str
    validated: float | None
    gate: float | None
    counts: bool


def scores(
    *, session: Session, project: str, solution: str, versions: Collection[str], metric: str
) -> list[SplitScores]:
    """Scores of every hypothesis that has any on these versions of the benchmark, in the order of experiments."""
    e, t, m = Experiment, Trial, MetricValue
    validated, gate = (func.avg(m.value).filter(t.purpose == p) for p in (Purpose.VALIDATION, Purpose.CANDIDATE))
    query = (
        select(e.id, validated, gate)
        .join(t, t.experiment_id == e.id)
        .join(m, (m.trial_id == t.id) & (m.name == metric) & (m.slice == ""))
        .where(
            e.project == project, e.kind == ExperimentKind.HYPOTHESIS, e.solution == solution,
            t.state == TrialState.DONE.value, t.benchmark_version.in_(list(versions)),
        )
        .group_by(e.id)
        .order_by(e.id)
    )  # fmt: skip
    found = session.execute(query).tuples().all()
    wanted = select(e.id, e.params, e.outcome, e.tree).where(e.id.in_([number for number, *_ in found]))
    about = {number: (params, outcome, tree) for number, params, outcome, tree in session.execute(wanted)}
    return [
        SplitScores(number, about[number][0], about[number][2], on_search, at_gate, about[number][1] not in DECLINED)
        for number, on_search, at_gate in found
    ]
