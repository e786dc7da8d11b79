"""``research_log.md`` from the database's rows."""

from __future__ import annotations

from datetime import date

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.db.repositories import hypotheses, papers
from auto_benchmark.papers.rules import Rules
from auto_benchmark.project.context import Context
from auto_benchmark.reporting.research_log import render_research_log
from auto_benchmark.research.log import LONGEST_TITLE, LoggedPaper, Skipped, cited, entry_of
from auto_benchmark.research.record import PaperRecord

FILE = "research_log.md"
MOST_PAPERS = 500
MOST_SKIPPED = 100


def write(ctx: Context) -> str:
    """Render the log of the newest papers; returns its path relative to the project's home."""
    rules = Rules(ctx.settings, ctx.project)
    with ctx.sessions() as session:
        relevant = papers.listed(session=session, project=ctx.project, relevant=True, limit=MOST_PAPERS)
        others = papers.listed(session=session, project=ctx.project, relevant=False, limit=MOST_SKIPPED)
        entries = [
            entry_of(
                rules.assessment(record), _day(record), hypotheses=[link.id for link in record.dossier.hypotheses or ()],
                outcome=_outcome(session, ctx.project, record),
            )
            for record in relevant
        ]  # fmt: skip
    skipped = [Skipped(_day(r), r.title[:LONGEST_TITLE], cited(r.id), r.reason) for r in others]
    text = render_research_log(_newest_first(entries), sorted(skipped, key=lambda s: s.day, reverse=True))
    atomic.write_text(ctx.home / FILE, text)
    return FILE


def _newest_first(entries: list[LoggedPaper]) -> list[LoggedPaper]:
    return sorted(entries, key=lambda e: e.day, reverse=True)  # stable: within a day by priority


def _day(record: PaperRecord) -> date:
    return record.dossier.read_on.date() if record.dossier.read_on else date.min


def _outcome(session: Session, project: str, record: PaperRecord) -> str:
    told = []
    for link in record.dossier.hypotheses or ():
        found = hypotheses.get(session=session, project=project, hypothesis_id=link.id)
        if found is not None and not found.status.is_open:
            told.append(f"{found.id} {found.status.value}: {found.reason}")
    return "; ".join(told)
