"""How a project stands, through Airflow's own metrics (StatsD, OpenTelemetry, Datadog: whatever Airflow is set to).

Every name carries project and board, because plain StatsD drops tags; the tags are there for backends that keep them.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from airflow.sdk.observability.stats import gauge, normalize_name_for_stats

from auto_benchmark.project.context import Context

log = logging.getLogger(__name__)
PREFIX = "auto_benchmark"


def measure(ctx: Context) -> dict[tuple[str, str | None], float]:
    """(metric, board or None) -> value.

    ``board_age_s`` is the time since a board was last read well, ``rank`` and ``gap`` say where we stand on it,
    ``queue_depth`` counts open hypotheses, ``trials.<state>`` trials, ``spend_day`` money of the last 24 hours,
    ``alpha_wealth`` what the gate may still spend on false promotions, ``rank_drops_unclaimed`` unanswered events.
    """
    from auto_benchmark.boards.standing import positions
    from auto_benchmark.db.repositories import board_history, decisions, hypotheses, rank_drops, spending, trials

    found: dict[tuple[str, str | None], float] = {}
    with ctx.sessions() as session:
        for board, seen in board_history.last_seen(session=session, project=ctx.project).items():
            if seen is not None:
                found["board_age_s", board] = (ctx.now() - seen).total_seconds()
        for position in positions(ctx, session):
            if position.rank is not None:
                found["rank", position.board] = position.rank
            if position.gap is not None:
                found["gap", position.board] = position.gap
        found["queue_depth", None] = len(hypotheses.queue(session=session, project=ctx.project))
        found["rank_drops_unclaimed", None] = rank_drops.count_unclaimed(session=session, project=ctx.project)
        for state, count in trials.counts(session=session, project=ctx.project).items():
            found[f"trials.{state}", None] = count
        found["spend_day", None] = spending.since(
            session=session, project=ctx.project, moment=ctx.now() - timedelta(days=1)
        ).money
        if (wealth := decisions.alpha_wealth(session=session, project=ctx.project)) is not None:
            found["alpha_wealth", None] = wealth
    return found


def publish(ctx: Context) -> None:
    """Send every gauge; a metrics backend that is away never fails a task."""
    try:
        for (metric, board), value in measure(ctx).items():
            parts = [PREFIX, ctx.project, *([board] if board else []), metric]
            name = normalize_name_for_stats(".".join(part.replace(" ", "_") for part in parts), log_warning=False)
            tags = {"project": ctx.project, **({"board": board} if board else {})}
            gauge(name, value, tags=tags)
    except Exception:
        log.warning("the metrics of %s could not be published", ctx.project, exc_info=True)
