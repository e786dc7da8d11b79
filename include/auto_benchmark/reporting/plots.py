"""Plots of a sweep as PNG bytes; drawn without a display."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from auto_benchmark.sweeps.outcome import RunOutcome
from auto_benchmark.sweeps.spec import Metrics
from auto_benchmark.sweeps.table import Ranking

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_LABEL = 40


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
