"""``report_digest``: weekly digest, technical log and changelog, all from the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.boards.standing import positions
from auto_benchmark.db.repositories import deltas, hypotheses, papers, records
from auto_benchmark.experiments.search import conclusion as search_conclusion
from auto_benchmark.hypotheses.hypothesis import Hypothesis
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.alert import Level
from auto_benchmark.project.context import Context
from auto_benchmark.reporting.digest_text import Digest, facts_of, render_digest
from auto_benchmark.reporting.html import page
from auto_benchmark.research.log import citation_in


def week_of(moment: datetime) -> date:
    """The Monday of a moment's week."""
    return moment.date() - timedelta(days=moment.weekday())


def write_digest(ctx: Context, week: date) -> dict[str, Any]:
    """Write one week's digest to the database and to ``reports/``; a second run replaces the first.

    Returns:
        ``{"week", "path"}``.
    """
    start = datetime.combine(week, time(), UTC)
    with ctx.sessions.begin() as session:
        digest = _digest(ctx, session, week, start, start + timedelta(days=7))
        text = render_digest(digest)
        records.save_digest(session=session, project=ctx.project, week=week, markdown=text, facts=facts_of(digest))
    path = ctx.home / "reports" / f"digest-{week.isoformat()}.md"
    atomic.write_text(path, text)
    atomic.write_text(path.with_suffix(".html"), page(f"Benchmark Digest {week.isoformat()}", text))
    return {"week": week.isoformat(), "path": str(path.relative_to(ctx.home))}


def write_digest_of(ctx: Context, day: str) -> dict[str, Any]:
    """:func:`write_digest` of the week that ``day`` (ISO) lies in."""
    moment = datetime.combine(date.fromisoformat(day), time(), UTC)
    return write_digest(ctx, week_of(moment))


def _digest(ctx: Context, session: Session, week: date, start: datetime, end: datetime) -> Digest:
    logged = [
        e for e in records.logged(session=session, project=ctx.project, since=start, limit=1000) if e.created_at < end
    ]
    moved = deltas.since(session=session, project=ctx.project, after=start, before=end)
    changes = [
        f"{'Promoted' if e.kind == 'promotion' else 'New challenger'} {e.subject}"
        f"{_from_paper(ctx, session, e.subject)}: {e.reason}"
        for e in logged
        if e.kind in {"promotion", "challenger"}
    ]
    changes += papers_read(logged)
    changes += [f"{d.board}: {line.text}" for d in moved for line in d.alerts if line.level is Level.ALERT]
    if any(e.kind is LogKind.NOTHING_FOUND for e in logged) and (said := search_conclusion.latest(ctx, session)):
        changes.append(said)
    outcomes = [e.inputs.get("outcome") for e in logged if e.kind is LogKind.REJECTION]
    promoted = sum(e.kind is LogKind.PROMOTION for e in logged)
    challengers = sum(e.kind is LogKind.CHALLENGER for e in logged)
    failed = outcomes.count("failed_validation")
    queue = hypotheses.queue(session=session, project=ctx.project)
    return Digest(
        week=week,
        positions=positions(ctx, session),
        changes=changes,
        next_actions=[_queued(h) for h in queue],
        completed=promoted + challengers + len(outcomes) - failed,
        failed_validation=failed,
        promoted=promoted,
        briefs=[b.line for b in papers.briefs(session=session, project=ctx.project)],
        escalations=[e.title for e in records.open_escalations(session=session, project=ctx.project)],
    )


def papers_read(logged: Sequence[records.LogEntry]) -> list[str]:
    """What the research feed brought, from the week's rows: one line, and one per source that kept failing."""
    readings = [e for e in logged if e.kind is LogKind.RESEARCH_INGEST]
    if not readings:
        return []
    made = [e.subject for e in logged if e.kind is LogKind.PAPER_HYPOTHESIS]
    new = sum(int(e.inputs.get("new", 0)) for e in readings)
    hypotheses_ = f"; hypotheses {', '.join(dict.fromkeys(made))}" if made else "; no new hypothesis"
    failing = [name for name, told in readings[0].inputs.get("sources", {}).items() if not isinstance(told, int)]
    dead = f"; without an answer: {', '.join(failing)}" if failing else ""
    return [f"Papers: {new} new{hypotheses_}{dead}"]


def _from_paper(ctx: Context, session: Session, hypothesis_id: str) -> str:
    """`` (from arXiv:2602.01234)`` for a hypothesis that a paper gave."""
    found = hypotheses.get(session=session, project=ctx.project, hypothesis_id=hypothesis_id)
    paper = citation_in(found.source) if found else None
    return f" (from {paper})" if paper else ""


def _queued(hypothesis: Hypothesis) -> str:
    boards = ", ".join(hypothesis.target_leaderboards)
    gain = f"{hypothesis.implementation.estimated_gain:+.3f}"
    return f"Experiment {hypothesis.id} ({hypothesis.title}) {hypothesis.status} for {boards} — est. gain {gain}"
