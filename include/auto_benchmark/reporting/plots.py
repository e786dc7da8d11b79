"""Plots of sweeps, boards and decisions as PNG bytes; drawn without a display."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from auto_benchmark.grid.outcome import RunOutcome
from auto_benchmark.grid.spec import Metrics
from auto_benchmark.grid.table import Ranking
from auto_benchmark.promotion.schema import Decision

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_LABEL = 40


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """Our rank and score on a board at one moment; None where we are not listed."""

    at: datetime
    rank: int | None
    score: float | None


def score_intervals(rankings: Sequence[Ranking], metric: str) -> bytes:
    """Mean with its 95 % interval per configuration, every seed as a dot; one panel per ranking."""
    figure = _figure(width=8, height=sum(1.2 + 0.45 * len(r.rows) for r in rankings))
    panels = figure.subplots(len(rankings), 1, squeeze=False)[:, 0]
    for panel, ranking in zip(panels, rankings, strict=True):
        rows = list(reversed(ranking.rows))
        for y, row in enumerate(rows):
            if row.primary is None:
                panel.annotate("no score", (0.5, y), xycoords=("axes fraction", "data"), ha="center", va="center")
                continue
            panel.plot(list(row.scores.values()), [y] * len(row.scores), "o", color="0.6", markersize=4, zorder=1)
            low, high = row.interval or (row.primary.mean, row.primary.mean)
            panel.plot([low, high], [y, y], color="tab:blue", linewidth=2, zorder=2)
            panel.plot([row.primary.mean], [y], "D", color="tab:blue", zorder=3)
        panel.set_yticks(range(len(rows)), [_label(row.name) for row in rows])
        panel.set_ylim(-0.6, len(rows) - 0.4)
        panel.set_xlabel(metric)
        panel.set_title(f"{ranking.title}: mean, 95 % interval, seeds", fontsize=10)
        panel.grid(axis="x", alpha=0.3)
    return _png(figure)


def scores_over_time(outcomes: Sequence[RunOutcome], metrics: Metrics) -> bytes:
    """Every score at the moment when its run ended; failed runs as crosses at the lower edge."""
    figure = _figure(width=8, height=4)
    panel = figure.subplots()
    names = list(dict.fromkeys(o.run.configuration.name for o in outcomes if o.is_done))
    start = min((o.finished_at for o in outcomes), default=None)
    for name in names:
        mine = [o for o in outcomes if o.run.configuration.name == name and o.is_done]
        minutes = [(o.finished_at - start).total_seconds() / 60 for o in mine if start]
        panel.plot(minutes, [o.metrics[metrics.primary] for o in mine], "o-", label=_label(name), alpha=0.8)
    failed = [o for o in outcomes if not o.is_done]
    if failed and start:
        minutes = [(o.finished_at - start).total_seconds() / 60 for o in failed]
        edge = panel.get_xaxis_transform()
        panel.plot(minutes, [0.02] * len(failed), "x", color="tab:red", transform=edge, label="failed runs")
    panel.set_xlabel("minutes after the first run ended")
    panel.set_ylabel(metrics.primary)
    panel.grid(alpha=0.3)
    if outcomes:
        panel.legend(fontsize=8)
    return _png(figure)


def rank_history(board: str, points: Sequence[HistoryPoint], promotions: Sequence[tuple[datetime, str]]) -> bytes:
    """Our rank (1 at the top) and our score over time; promotions as dashed lines."""
    figure = _figure(width=8, height=4.5)
    ranks, scores = figure.subplots(2, 1, sharex=True)
    for panel, values, name in (
        (ranks, [p.rank for p in points], "rank"),
        (scores, [p.score for p in points], "score"),
    ):
        known = [(p.at, v) for p, v in zip(points, values, strict=True) if v is not None]
        panel.plot([at for at, _ in known], [v for _, v in known], "o-", color="tab:blue", markersize=4)
        panel.set_ylabel(f"our {name}")
        panel.grid(alpha=0.3)
        for at, _ in promotions:
            panel.axvline(at, color="tab:green", linestyle="--", linewidth=1)
    if any(p.rank is not None for p in points):
        ranks.set_ylim(max(p.rank or 1 for p in points) + 0.5, 0.5)
        ranks.yaxis.get_major_locator().set_params(integer=True)
    for at, name in promotions:
        ranks.annotate(_label(name), (at, 0.98), xycoords=("data", "axes fraction"), va="top", fontsize=8)
    ranks.set_title(_label(board), fontsize=10)
    figure.autofmt_xdate()
    return _png(figure)


def decision_intervals(looks: Sequence[tuple[int, Decision]], threshold: float | None) -> bytes:
    """Estimated improvement with its interval at each look of an experiment, against none and the threshold."""
    known = [(look, d) for look, d in looks if d.estimate is not None and d.interval is not None]
    figure = _figure(width=8, height=1.4 + 0.45 * max(1, len(known)))
    panel = figure.subplots()
    for y, (_, decision) in enumerate(reversed(known)):
        low, high = decision.interval or (0.0, 0.0)
        panel.plot([low, high], [y, y], color="tab:blue", linewidth=2)
        panel.plot([decision.estimate or 0.0], [y], "D", color="tab:blue")
    panel.axvline(0, color="0.4", linewidth=1)
    if threshold is not None:
        panel.axvline(threshold, color="tab:green", linestyle="--", linewidth=1)
    labels = [f"look {look}: {d.n} seeds, {d.verdict}" for look, d in reversed(known)]
    panel.set_yticks(range(len(known)), labels)
    panel.set_ylim(-0.6, max(1, len(known)) - 0.4)
    panel.set_xlabel("improvement (dashed: smallest that is worth a promotion)")
    return _png(figure)


def _figure(*, width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, min(height, 60)), layout="constrained")


def _png(figure: Figure) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=110, metadata={"Software": None})
    return file.getvalue()


def _label(name: str) -> str:
    """A name as plain text: no mathematics, no underscore that hides it from the legend, no endless line."""
    short = name if len(name) <= LONGEST_LABEL else name[: LONGEST_LABEL - 1] + "…"
    return short.replace("$", r"\$") if not short.startswith("_") else " " + short.replace("$", r"\$")
