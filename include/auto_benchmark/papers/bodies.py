"""Bodies of relevant papers: fetched once each, kept with the paper, a missing one noted with the reason."""

from __future__ import annotations

import logging
from dataclasses import replace

from auto_benchmark.db.repositories import locks, papers
from auto_benchmark.http.opener import http_opener
from auto_benchmark.project.context import Context
from auto_benchmark.research.dossier import PaperText
from auto_benchmark.research.record import LONGEST_FULL_TEXT, PaperRecord, PaperStage
from auto_benchmark.research.text import storable
from auto_benchmark.sources.papers.collect import Endpoints
from auto_benchmark.sources.papers.full_text import NotReadable, SourceFailed, body_of
from auto_benchmark.sources.papers.web import Web

log = logging.getLogger(__name__)
MOST_A_RUN = 40
"""Two calls of three seconds each, at worst, for a paper: a run stays within minutes."""


def fetch_bodies(ctx: Context, *, web: Web | None = None, endpoints: Endpoints | None = None) -> int:
    """Fetch the bodies of relevant arXiv papers that are screened and lack one; returns how many came.

    A paper whose body cannot be had, whatever the reason, is judged by its abstract; the reason is reported. Once the
    service fails it is left alone for this run: the patience of one call is minutes, and others wait for the lock.
    Each body is stored as it comes, so that what was fetched survives whatever ends the run.
    """
    if not _without_body(ctx):
        return 0
    opener = http_opener(ctx.settings.private_hosts)
    web = replace(web or Web(opener=opener, contact=ctx.settings.contact), given_up={})
    base = (endpoints or Endpoints()).arxiv
    with ctx.sessions.begin() as guard:  # as the feed: one caller at a time in the whole system
        locks.lock(session=guard, project="", what="papers")
        wanted = _without_body(ctx)
        came = 0
        for number, record in enumerate(wanted):
            try:
                text = _body(record, web, base)
            except SourceFailed as failed:
                ctx.say(f"body of {record.id}: {failed}; {len(wanted) - number} papers are judged by their abstracts")
                break
            _keep(ctx, record, text)
            came += bool(text.full_text)
        web.pace.settle()
    return came


def _without_body(ctx: Context) -> list[PaperRecord]:
    with ctx.sessions() as session:
        screened = papers.at(session=session, project=ctx.project, stage=PaperStage.SCREENED)
    return [record for record in screened if _lacks_body(record)][:MOST_A_RUN]


def _lacks_body(record: PaperRecord) -> bool:
    text = record.dossier.paper
    return bool(record.relevant) and bool(text.arxiv_id) and not (text.full_text or text.body)


def _body(record: PaperRecord, web: Web, base: str) -> PaperText:
    """The paper's text with its body, or with the reason why there is none. Raises SourceFailed."""
    text = record.dossier.paper
    try:
        body = body_of(web, record.paper, base)
    except NotReadable as reason:
        return replace(text, body=f"none: {storable(str(reason))}"[:200])
    except SourceFailed:
        raise
    except Exception as error:  # a document of a shape that nobody foresaw must not cost the other papers
        log.warning("the body of %s cannot be read", record.id, exc_info=True)
        return replace(text, body=f"none: {type(error).__name__}: {storable(str(error))}"[:200])
    return replace(
        text, body=body.origin, full_text=storable(body.text)[:LONGEST_FULL_TEXT], tables=tuple(body.tables)
    )


def _keep(ctx: Context, fetched: PaperRecord, text: PaperText) -> None:
    """Store a body, unless the paper has moved on or has a new version meanwhile."""
    with ctx.sessions.begin() as session:
        now = papers.get(session=session, project=ctx.project, paper_id=fetched.id, lock=True)
        if now is not None and (now.stage, now.dossier.paper) == (fetched.stage, fetched.dossier.paper):
            told = replace(now, dossier=replace(now.dossier, paper=text))
            papers.upsert(session=session, project=ctx.project, papers=[told])
