"""Bodies of relevant papers: fetched once each, kept with the paper, a missing one noted with the reason."""

from __future__ import annotations

from dataclasses import asdict, replace

from auto_benchmark.db.repositories import locks, papers
from auto_benchmark.http.opener import http_opener
from auto_benchmark.papers.rows import LONGEST_FULL_TEXT, paper_of
from auto_benchmark.project.context import Context
from auto_benchmark.research.record import PaperRecord
from auto_benchmark.research.text import storable
from auto_benchmark.sources.papers.collect import Endpoints
from auto_benchmark.sources.papers.full_text import NotReadable, SourceFailed, body_of
from auto_benchmark.sources.papers.web import Web

MOST_A_RUN = 40
"""Two calls of three seconds each, at worst, for a paper: a run stays within minutes."""


def fetch_bodies(ctx: Context, *, web: Web | None = None, endpoints: Endpoints | None = None) -> int:
    """Fetch the bodies of relevant, unread arXiv papers that lack one; returns how many came.

    A paper whose body cannot be had, whatever the reason, is judged by its abstract; the reason is told. Once the
    service fails it is left alone for this run: the patience of one call is minutes, and others wait for the lock.
    Each body is stored as it comes, so that what was fetched survives whatever ends the run.
    """
    with ctx.sessions() as session:
        wanted = [r for r in papers.undecided(session=session, project=ctx.project) if _lacks_body(r)][:MOST_A_RUN]
    if not wanted:
        return 0
    opener = http_opener(allow_private=ctx.settings.allow_private_addresses)
    web = replace(web or Web(opener=opener, contact=ctx.settings.contact), given_up={})
    base = (endpoints or Endpoints()).arxiv
    with ctx.sessions.begin() as guard:  # as the feed: one caller at a time in the whole system
        locks.lock(session=guard, project="", what="papers")
        came = 0
        for number, record in enumerate(wanted):
            try:
                read = _with_body(record, web, base)
            except SourceFailed as failed:
                ctx.say(f"body of {record.id}: {failed}; {len(wanted) - number} papers are judged by their abstracts")
                break
            with ctx.sessions.begin() as session:
                papers.upsert(session=session, project=ctx.project, papers=[read])
            came += bool(read.assessment["paper"].get("full_text"))
        web.pace.settle()
    return came


def _lacks_body(record: PaperRecord) -> bool:
    kept = record.assessment.get("paper", {})
    known = kept.get("full_text") or kept.get("body")
    return bool(record.relevant) and "gains" not in record.assessment and bool(kept.get("arxiv_id")) and not known


def _with_body(record: PaperRecord, web: Web, base: str) -> PaperRecord:
    """The paper with its body, or with the reason why there is none. Raises SourceFailed."""
    kept = dict(record.assessment["paper"])
    try:
        body = body_of(web, paper_of(record), base)
    except NotReadable as reason:
        kept["body"] = f"none: {reason}"[:200]
    else:
        kept.update(body=body.origin, full_text=storable(body.text)[:LONGEST_FULL_TEXT])
        kept["tables"] = [asdict(table) for table in body.tables]
    return replace(record, assessment={**record.assessment, "paper": kept})
