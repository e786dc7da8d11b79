"""Aggregation of a sweep: scores over tasks, then over seeds, ranked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from auto_benchmark.grid.outcome import RunOutcome
from auto_benchmark.grid.spec import Aggregation, SweepSpec
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.high_variance import relative_spread
from auto_benchmark.stats.intervals import Interval, t_interval

if TYPE_CHECKING:
    import pandas as pd

OVERALL = "all tasks"


@dataclass(frozen=True, slots=True)
class Summary:
    """A metric over seeds; ``sd`` is the sample standard deviation, None with one seed."""

    mean: float
    sd: float | None
    low: float
    high: float
    seeds: int


@dataclass(frozen=True, slots=True)
class RankedRow:
    """One configuration in one ranking.

    Attributes:
        rank: by the mean of the primary metric, ties share it (1, 1, 3); None without a score.
        scores: seed -> primary metric.
        primary: None when no run of it finished.
        interval: 95 % of the mean, Student's t over seeds; ``no_interval`` says why there is none.
        is_unstable: standard deviation above 1 % of the mean.
        failed: runs without a score.
    """

    name: str
    rank: int | None
    scores: Mapping[int, float]
    primary: Summary | None
    interval: Interval | None
    no_interval: str
    is_unstable: bool
    secondary: Mapping[str, Summary] = field(default_factory=dict)
    failed: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Ranking:
    """All configurations on one task, or on all of them; ``tasks`` are those that it rests on."""

    title: str
    tasks: tuple[str, ...]
    rows: Sequence[RankedRow]

    def row(self, name: str) -> RankedRow:
        """One configuration. Raises KeyError."""
        found = {row.name: row for row in self.rows}
        return found[name]


def long_frame(outcomes: Sequence[RunOutcome]) -> pd.DataFrame:
    """One line per finished run: configuration, seed, task, items (for weights), then a column per metric."""
    import pandas as pd

    rows = [
        {
            "configuration": o.run.configuration.name,
            "seed": o.run.seed,
            "task": o.run.dataset.task,
            "items": max((len(values) for values in o.items.values()), default=0) or math.nan,
            **o.metrics,
        }
        for o in outcomes
        if o.is_done
    ]
    return pd.DataFrame(rows, columns=None if rows else ["configuration", "seed", "task", "items"])


def rankings(spec: SweepSpec, outcomes: Sequence[RunOutcome]) -> list[Ranking]:
    """The rankings that the spec's aggregation asks for, the overall one first."""
    frame = long_frame(outcomes)
    tasks = [d.task for d in spec.datasets]
    found = []
    if len(tasks) == 1:
        return [_ranking(spec, tasks[0], frame, outcomes, tasks)]
    if spec.aggregation is not Aggregation.PER_TASK:
        combined = over_tasks(spec, frame)
        found.append(_ranking(spec, f"{OVERALL} ({spec.aggregation} average)", combined, outcomes, tasks))
    for task in tasks:
        part = [o for o in outcomes if o.run.dataset.task == task]
        found.append(_ranking(spec, task, frame[frame["task"] == task], part, [task]))
    return found


def over_tasks(spec: SweepSpec, frame: pd.DataFrame) -> pd.DataFrame:
    """One line per configuration and seed, averaged over tasks; seeds that miss a task are left out.

    ``micro`` weights each task by its number of items (equally where a task has none), ``macro`` weights all alike.
    """
    import pandas as pd

    if frame.empty:
        return frame
    values = [name for name in _metric_names(spec) if name in frame]
    counted = spec.aggregation is Aggregation.MICRO and bool(frame["items"].notna().all())
    weights = frame["items"] if counted else pd.Series(1.0, index=frame.index)
    keys = [frame["configuration"], frame["seed"]]
    weighted = frame[values].mul(weights, axis=0).groupby(keys).sum(min_count=len(spec.datasets))
    return weighted.div(weights.groupby(keys).sum(), axis=0).dropna(subset=[spec.metrics.primary]).reset_index()


def _metric_names(spec: SweepSpec) -> list[str]:
    return [spec.metrics.primary, *spec.metrics.secondary]


def _ranking(
    spec: SweepSpec, title: str, frame: pd.DataFrame, outcomes: Sequence[RunOutcome], tasks: Sequence[str]
) -> Ranking:
    rows = [_row(spec, name, frame, outcomes, len(tasks)) for name in (c.name for c in spec.configurations)]
    sign = -1.0 if spec.metrics.higher_is_better else 1.0
    means = [row.primary.mean for row in rows if row.primary]
    ranked = [
        replace(row, rank=1 + sum(sign * m < sign * row.primary.mean for m in means)) if row.primary else row
        for row in rows
    ]
    return Ranking(title, tuple(tasks), sorted(ranked, key=lambda r: (r.rank is None, r.rank or 0)))


def _row(spec: SweepSpec, name: str, frame: pd.DataFrame, outcomes: Sequence[RunOutcome], tasks: int) -> RankedRow:
    mine = frame[frame["configuration"] == name] if len(frame) else frame
    of_name = [o for o in outcomes if o.run.configuration.name == name]
    primary = spec.metrics.primary
    scores = {int(s): float(v) for s, v in zip(mine["seed"], mine[primary], strict=True)} if len(mine) else {}
    interval, reason = _interval(list(scores.values()))
    summaries = _summaries(mine, [m for m in spec.metrics.secondary if m in mine]) if scores else {}
    return RankedRow(
        name=name,
        rank=None,
        scores=scores,
        primary=_summaries(mine, [primary])[primary] if scores else None,
        interval=interval,
        no_interval=reason,
        is_unstable=_is_unstable(list(scores.values())),
        secondary=summaries,
        failed=sum(not o.is_done for o in of_name),
        waiting=len(spec.seeds) * tasks - len(of_name),
    )


def _summaries(frame: pd.DataFrame, names: Sequence[str]) -> dict[str, Summary]:
    found = {}
    table = frame[list(names)].agg(["mean", "std", "min", "max", "count"])
    for name in names:
        mean, sd, low, high, count = (float(table.loc[row, name]) for row in table.index)
        if count:
            found[name] = Summary(mean, None if math.isnan(sd) else sd, low, high, int(count))
    return found


def _interval(scores: Sequence[float]) -> tuple[Interval | None, str]:
    try:
        return t_interval(scores), ""
    except NotApplicableError as error:
        return None, str(error)


def _is_unstable(scores: Sequence[float]) -> bool:
    try:
        return relative_spread(scores).flagged
    except NotApplicableError:
        return False
