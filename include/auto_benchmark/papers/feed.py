"""The research feed inside the loop: papers are read when their schedule says so, and a dead network costs seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import papers, records
from auto_benchmark.http.opener import http_opener
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.triggers import Action
from auto_benchmark.project.configuration import load_optional, project_directory
from auto_benchmark.project.context import Context
from auto_benchmark.registry.research_config import ResearchConfig
from auto_benchmark.registry.schedule import last_moment
from auto_benchmark.sources.papers.collect import Endpoints
from auto_benchmark.sources.papers.web import Web

ATTEMPTS, PATIENCE_S, TIMEOUT_S = 2, 20.0, 8.0
"""The loop does not wait for a service: the scheduled DAG, which does, comes back to a source that failed here."""


@dataclass(frozen=True, slots=True)
class PaperFeed:
    """Where the loop reads papers. The defaults are the public services, asked with little patience.

    Attributes:
        web: does the calls.
        endpoints: where the services are.
    """

    web: Web | None = None
    endpoints: Endpoints | None = None

    def due(self, ctx: Context) -> Web | None:
        """How papers are read when they are due; None when they are not, or nothing is declared."""
        if not _declared(ctx):
            return None
        with ctx.sessions() as session:
            if not _is_due(ctx, session):
                return None
        opener = http_opener(ctx.settings.private_hosts)
        return self.web or Web(
            attempts=ATTEMPTS, patience_s=PATIENCE_S, timeout_s=TIMEOUT_S, contact=ctx.settings.contact, opener=opener
        )


def screened(ctx: Context, session: Session) -> tuple[bool | None, str]:
    """The audit's answer to "papers screened", with its reason.

    None where no source is declared. True when the last reading is not overdue, some source answered it and every
    stored paper was judged.
    """
    if not _declared(ctx):
        return None, "research_config.yaml declares no source"
    last = _last(session, ctx.project)
    if last is None:
        return False, "no paper source was ever read"
    told: Mapping[str, Any] = last.inputs.get("sources", {})
    answered = sum(isinstance(papers_or_fault, int) for papers_or_fault in told.values())
    waiting = papers.waiting(session=session, project=ctx.project)
    note = (
        f"{answered} of {len(told)} sources answered on {last.created_at.date().isoformat()}; {waiting} papers wait"
    )
    return answered > 0 and waiting == 0 and not _is_due(ctx, session), note


def _declared(ctx: Context) -> bool:
    file = project_directory(ctx.settings, ctx.project) / "research_config.yaml"
    return load_optional(ResearchConfig, file).declares_a_source


def _is_due(ctx: Context, session: Session) -> bool:
    """Whether a moment of the schedule, or a gap that widened, lies after the last reading."""
    last = _last(session, ctx.project)
    if last is None or last.created_at < _last_moment(ctx):
        return True
    triggers = records.logged(session=session, project=ctx.project, kind=LogKind.TRIGGER, since=last.created_at)
    return any(entry.inputs.get("action") == str(Action.RESEARCH_INGEST) for entry in triggers)


def _last_moment(ctx: Context) -> datetime:
    """The newest moment at which the schedule wanted papers to be read."""
    return last_moment(ctx.config.schedule.schedule.research_ingest, ctx.config.schedule.timezone, ctx.now())


def _last(session: Session, project: str) -> records.LogEntry | None:
    found = records.logged(session=session, project=project, kind=LogKind.RESEARCH_INGEST, limit=1)
    return found[0] if found else None
