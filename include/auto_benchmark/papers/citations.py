"""How often relevant papers are cited, kept with each: among equal claims the one that others build on goes first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from auto_benchmark.db.repositories import papers
from auto_benchmark.http.opener import http_opener
from auto_benchmark.papers.rows import paper_of
from auto_benchmark.project.context import Context
from auto_benchmark.research.record import PaperRecord
from auto_benchmark.sources.papers.collect import Endpoints
from auto_benchmark.sources.papers.counts import counts_of
from auto_benchmark.sources.papers.web import Web


def count_citations(ctx: Context, *, web: Web | None = None, endpoints: Endpoints | None = None) -> int:
    """Ask for the counts of relevant papers that are about to be judged; returns how many are known.

    Services that do not answer are told and change nothing: without a count a paper is judged by its claim alone.
    """
    at = endpoints or Endpoints()
    with ctx.sessions() as session:
        judged = [r for r in papers.undecided(session=session, project=ctx.project) if _wants_count(r)]
    if not judged:
        return 0
    opener = http_opener(allow_private=ctx.settings.allow_private_addresses)
    asks = replace(web or Web(opener=opener, contact=ctx.settings.contact), given_up={})
    known = {r.id: int(r.assessment["citations"]["count"]) for r in judged if "citations" in r.assessment}
    counts, notes = counts_of(asks, [paper_of(r) for r in judged], known, at.semantic_scholar, at.openalex)
    for note in notes:
        ctx.say(note)
    rows = [_with_count(r, counts[r.id], ctx) for r in judged if r.id in counts]
    with ctx.sessions.begin() as session:
        papers.upsert(session=session, project=ctx.project, papers=rows)
    return len(rows)


def _wants_count(record: PaperRecord) -> bool:
    return bool(record.relevant) and "citations" not in record.assessment


def _with_count(record: PaperRecord, count: int, ctx: Context) -> PaperRecord:
    told: dict[str, Any] = {"count": count, "on": ctx.now().date().isoformat()}
    return replace(record, assessment={**record.assessment, "citations": told})
