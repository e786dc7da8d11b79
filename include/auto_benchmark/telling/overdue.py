"""The dead man's alert: scheduled runs that should have happened by now and left no trace.

``leaderboard_scrape``, ``experiment_sweep`` and ``report_digest`` each look for a missed scrape and a missed digest, so
that one of them notices when another is paused or broken. When no DAG runs at all, nothing in here can notice: alert on
the metric ``board_age_s`` from outside.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import board_history, projects, records
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.context import Context
from auto_benchmark.registry.schedule import last_moment
from auto_benchmark.telling.digest import week_of

log = logging.getLogger(__name__)
GRACE = timedelta(hours=2)


def check_overdue(ctx: Context) -> list[str]:
    """Alert about a scrape or digest that was due ``GRACE`` ago and did not happen; once per missed moment.

    Returns:
        What is overdue.
    """
    schedule, zone = ctx.config.schedule.schedule, ctx.config.schedule.timezone
    with ctx.sessions.begin() as session:
        known_since = projects.known_since(session=session, project=ctx.project)
        if known_since is None:
            return []
        found = [
            (what, due)
            for what, cron, happened in (
                ("leaderboard_scrape", schedule.leaderboard_scrape, _scraped_since),
                ("report_digest", schedule.report_digest, _digested_since),
            )
            if (due := last_moment(cron, zone, ctx.now() - GRACE)) > known_since and not happened(ctx, session, due)
        ]
        for what, due in found:
            _alert(ctx, session, what, due)
    return [what for what, _ in found]


def _scraped_since(ctx: Context, session: Session, due: datetime) -> bool:
    seen = board_history.last_seen(session=session, project=ctx.project)
    return any(moment is not None and moment >= due for moment in seen.values())


def _digested_since(ctx: Context, session: Session, due: datetime) -> bool:
    weeks = {week_of(due), week_of(due - timedelta(days=1))}
    return any(records.digest(session=session, project=ctx.project, week=week) is not None for week in weeks)


def _alert(ctx: Context, session: Session, what: str, due: datetime) -> None:
    text = f"{what} was due at {due.isoformat(timespec='minutes')} and did not run"
    new = records.log(
        session=session,
        project=ctx.project,
        key=f"overdue/{what}/{due.isoformat(timespec='minutes')}",
        kind=LogKind.ALERT,
        subject=what,
        reason=text,
    )
    if new:
        ctx.say(f"[ALERT] {text}")
        log.warning("%s: %s", ctx.project, text)
