"""How often relevant papers are cited, kept with each: among equal claims the one that others build on goes first."""

from __future__ import annotations

from dataclasses import replace

from auto_benchmark.db.repositories import papers
from auto_benchmark.http.opener import http_opener
from auto_benchmark.project.context import Context
from auto_benchmark.research.dossier import CitationCount
from auto_benchmark.research.record import PaperRecord, PaperStage
from auto_benchmark.sources.papers.collect import Endpoints
from auto_benchmark.sources.papers.counts import counts_of
from auto_benchmark.sources.papers.web import Web


def count_citations(ctx: Context, *, web: Web | None = None, endpoints: Endpoints | None = None) -> int:
    """Ask for the counts of relevant papers that are about to be judged; returns how many are known.

    Services that do not answer are reported and change nothing: without a count a paper is judged by its claim alone.
    """
    at = endpoints or Endpoints()
    with ctx.sessions() as session:
        extracted = papers.at(session=session, project=ctx.project, stage=PaperStage.EXTRACTED)
    judged = [record for record in extracted if _wants_count(record)]
    if not judged:
        return 0
    opener = http_opener(ctx.settings.private_hosts)
    asks = replace(web or Web(opener=opener, contact=ctx.settings.contact), given_up={})
    counts, notes = counts_of(asks, [r.paper for r in judged], {}, at.semantic_scholar, at.openalex)
    for note in notes:
        ctx.say(note)
    with ctx.sessions.begin() as session:
        for paper_id in sorted(counts):
            now = papers.get(session=session, project=ctx.project, paper_id=paper_id, lock=True)
            if now is not None and now.stage is PaperStage.EXTRACTED:
                told = CitationCount(counts[paper_id], ctx.now().date())
                counted = replace(now, dossier=replace(now.dossier, citations=told))
                papers.upsert(session=session, project=ctx.project, papers=[counted])
    return len(counts)


def _wants_count(record: PaperRecord) -> bool:
    return bool(record.relevant) and record.dossier.citations is None
