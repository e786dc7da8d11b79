"""What services deliver about papers: papers and how far each source was read, bodies, findings, citation counts."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import locks, papers, records
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.http.opener import http_opener
from auto_benchmark.kinds import LogKind
from auto_benchmark.llm.cache import DirectoryCache
from auto_benchmark.llm.chat import Chat
from auto_benchmark.llm.second_reader import SecondReader
from auto_benchmark.papers.rules import Rules
from auto_benchmark.project.configuration import load_optional, project_directory
from auto_benchmark.project.context import Context
from auto_benchmark.registry.research_config import ResearchConfig
from auto_benchmark.research.dedupe import keys_of, merge
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.record import CitationCount, Dossier, PaperRecord, PaperStage
from auto_benchmark.research.text import storable
from auto_benchmark.sources.papers.collect import Collected, Endpoints
from auto_benchmark.sources.papers.counts import counts_of
from auto_benchmark.sources.papers.full_text import NotReadable, SourceFailed, body_of
from auto_benchmark.sources.papers.web import Web

log = logging.getLogger(__name__)
LONGEST_FULL_TEXT = 100_000
"""Characters of a body that are kept."""
MOST_A_RUN = 40
"""Two calls of three seconds each, at worst, for a paper: a run stays within minutes."""


def last_marks(session: Session, project: str) -> dict[str, Any]:
    """How far each source was read by the last fetch that finished."""
    last = records.logged(session=session, project=project, kind=LogKind.RESEARCH_INGEST, limit=1)
    return dict(last[0].inputs.get("marks", {})) if last else {}


def store(ctx: Context, session: Session, found: Sequence[Collected], before: dict[str, Any]) -> dict[str, Any]:
    """Store new papers and new versions together with the marks up to which their sources were read.

    Returns:
        ``{"new", "updated", "sources": {key: papers or fault}}``.
    """
    known = papers.identities(session=session, project=ctx.project)
    new, updated = [], []
    for paper in merge(paper for c in found if c.batch for paper in c.batch.papers):
        same = next((known[key] for key in keys_of(paper) if key in known), None)
        if same is None:
            new.append(paper)
        elif (better := _newer(session, ctx.project, same, paper)) is not None:
            updated.append(better)
    rows = [_unread(paper, ctx.now()) for paper in (*new, *updated)]
    papers.upsert(session=session, project=ctx.project, papers=rows)
    marks = {**before, **{c.key: dict(c.batch.mark) for c in found if c.batch}}
    told = {c.key: len(c.batch.papers) if c.batch else f"{c.fault}: {c.message}"[:300] for c in found}
    notes = [note[:300] for c in found if c.batch for note in c.batch.notes]
    incomplete = [c.key for c in found if c.batch and c.batch.incomplete]
    faults = sum(c.batch is None for c in found)
    records.log(
        session=session, project=ctx.project, key=f"{LogKind.RESEARCH_INGEST}/{ctx.now().isoformat()}",
        kind=LogKind.RESEARCH_INGEST, subject="papers",
        reason=f"{len(new)} new papers, {len(updated)} new versions; {faults} of {len(found)} sources failed",
        inputs={"marks": marks, "sources": told, "notes": notes[:50], "incomplete": incomplete, "new": len(new)},
    )  # fmt: skip
    return {"new": len(new), "updated": len(updated), "sources": told}


def _newer(session: Session, project: str, paper_id: str, paper: Paper) -> Paper | None:
    """The stored paper with a newer version's text or an abstract that it lacked; None when nothing is new."""
    record = papers.get(session=session, project=project, paper_id=paper_id)
    if record is None:
        return None
    stored = record.paper
    [joined] = merge([stored, Paper(**{**_fields(paper), "id": stored.id})])
    changed = (joined.abstract, joined.version, joined.withdrawn) != (
        stored.abstract,
        stored.version,
        stored.withdrawn,
    )
    return (
        joined if changed and (joined.version > stored.version or not stored.abstract or joined.withdrawn) else None
    )


def _unread(paper: Paper, on: datetime) -> PaperRecord:
    kept = replace(paper, full_text=paper.full_text[:LONGEST_FULL_TEXT])
    return PaperRecord(kept, dossier=Dossier(keys=tuple(keys_of(paper)), read_on=on))


def _fields(paper: Paper) -> dict[str, Any]:
    return {name: getattr(paper, name) for name in Paper.__slots__}


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
                with_body = _with_body(record, web, base)
            except SourceFailed as failed:
                ctx.say(f"body of {record.id}: {failed}; {len(wanted) - number} papers are judged by their abstracts")
                break
            _keep(ctx, record, with_body)
            came += bool(with_body.paper.full_text)
        web.pace.settle()
    return came


def _without_body(ctx: Context) -> list[PaperRecord]:
    with ctx.sessions() as session:
        screened = papers.at(session=session, project=ctx.project, stage=PaperStage.SCREENED)
    return [record for record in screened if _lacks_body(record)][:MOST_A_RUN]


def _lacks_body(record: PaperRecord) -> bool:
    paper = record.paper
    return bool(record.relevant) and bool(paper.arxiv_id) and not (paper.full_text or record.dossier.body)


def _with_body(record: PaperRecord, web: Web, base: str) -> PaperRecord:
    """The paper with its body, or with the reason why there is none. Raises SourceFailed."""
    try:
        body = body_of(web, record.paper, base)
    except NotReadable as reason:
        return _asked(record, f"none: {storable(str(reason))}"[:200])
    except SourceFailed:
        raise
    except Exception as error:  # a document of an unforeseen shape must not cost the other papers
        log.warning("the body of %s cannot be read", record.id, exc_info=True)
        return _asked(record, f"none: {type(error).__name__}: {storable(str(error))}"[:200])
    paper = replace(record.paper, full_text=storable(body.text)[:LONGEST_FULL_TEXT], tables=tuple(body.tables))
    return replace(_asked(record, body.origin), paper=paper)


def _asked(record: PaperRecord, body: str) -> PaperRecord:
    return replace(record, dossier=replace(record.dossier, body=body))


def _keep(ctx: Context, before: PaperRecord, fetched: PaperRecord) -> None:
    """Store a body, unless the paper has moved on or has a new version meanwhile."""
    with ctx.sessions.begin() as session:
        now = papers.get(session=session, project=ctx.project, paper_id=before.id, lock=True)
        if now is not None and (now.stage, now.paper, now.dossier.body) == (
            before.stage,
            before.paper,
            before.dossier.body,
        ):
            told = replace(_asked(now, str(fetched.dossier.body)), paper=fetched.paper)
            papers.upsert(session=session, project=ctx.project, papers=[told])


def second_reading(ctx: Context, rules: Rules, found: Sequence[PaperRecord]) -> list[PaperRecord]:
    """The papers, the relevant ones with the findings of the optional language model.

    Unchanged where none is configured; whatever goes wrong there, the rules' findings stand.
    """
    declared = load_optional(ResearchConfig, project_directory(ctx.settings, ctx.project) / "research_config.yaml")
    wanted = declared.second_reader
    if wanted is None:
        return list(found)
    try:
        endpoint = ctx.connections.get(wanted.conn_id)
    except AutoBenchmarkError as error:
        ctx.say(f"second reader: {error}")
        return list(found)
    cache = DirectoryCache(ctx.home / "cache" / "second_reader")
    second = SecondReader(
        Chat(endpoint, wanted.model, wanted.max_calls, wanted.max_tokens, cache), rules.reader.matcher
    )
    return [_second_read(ctx, second, record) if record.relevant else record for record in found]


def _second_read(ctx: Context, second: SecondReader, record: PaperRecord) -> PaperRecord:
    try:
        findings = second.read(record.paper)
    except AutoBenchmarkError as error:
        ctx.say(f"second reader, {record.id}: {error}")
        return record
    return replace(record, dossier=replace(record.dossier, second_reader=findings))


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
