"""What ``research_ingest`` does: fetch papers, screen, extract, assess, log, propose hypotheses.

Every step works on what the database holds and is undone, not on what an earlier step returned, so that each may run
twice or after a crash: papers and the marks of their sources are written in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import locks, papers, records
from auto_benchmark.papers import hypotheses as paper_hypotheses
from auto_benchmark.papers import log as paper_log
from auto_benchmark.papers.bodies import fetch_bodies
from auto_benchmark.papers.citations import count_citations
from auto_benchmark.papers.competitor_reports import review_reports
from auto_benchmark.papers.extract import make_reader
from auto_benchmark.papers.rows import (
    paper_of,
    read_row,
    row_of,
    with_disposition,
    with_relevance,
    with_techniques,
)
from auto_benchmark.papers.second_reading import second_reading
from auto_benchmark.project.configuration import load_optional, project_directory
from auto_benchmark.project.context import Context
from auto_benchmark.registry.research_config import ResearchConfig
from auto_benchmark.research.assessment import Reader
from auto_benchmark.research.dedupe import keys_of, merge
from auto_benchmark.research.paper import Paper
from auto_benchmark.sources.fetch import http_opener
from auto_benchmark.sources.papers.collect import Collected, Endpoints, collect, sources_of
from auto_benchmark.sources.papers.web import Web

KIND = "research_ingest"


def fetch_papers(
    ctx: Context, *, web: Web | None = None, endpoints: Endpoints | None = None, backfill: bool = False
) -> dict[str, Any]:
    """Read every source from its mark and store what is new; one dead source never stops the others.

    Args:
        ctx: the project.
        web: does the calls.
        endpoints: where the services are.
        backfill: forget the marks and read everything from the beginning; known papers stay as they are.

    Returns:
        ``{"new", "updated", "sources": {key: papers or fault}}``.
    """
    opener = http_opener(allow_private=ctx.settings.allow_private_addresses)
    web = replace(web or Web(opener=opener, contact=ctx.settings.contact), given_up={})  # a dead host costs one wait
    declared = load_optional(ResearchConfig, project_directory(ctx.settings, ctx.project) / "research_config.yaml")
    with ctx.sessions.begin() as guard:  # one ingest at a time in the whole system: sources count calls per address
        locks.lock(session=guard, project="", what="papers")
        with ctx.sessions() as session:
            marks = {} if backfill else _marks(session, ctx.project)
        found = collect(sources_of(declared.research_sources, web, endpoints), marks, ctx.say)
        with ctx.sessions.begin() as session:
            told = _store(ctx, session, found, marks)
        web.pace.settle()
    return told


def screen_relevance(ctx: Context) -> int:
    """Judge which unread papers concern us, with the reason; returns how many do."""
    reader = make_reader(ctx.settings, ctx.project)
    with ctx.sessions.begin() as session:
        unread = [r for r in papers.undecided(session=session, project=ctx.project) if r.relevant is None]
        judged = [with_relevance(record, read_row(reader, record)) for record in unread]
        papers.upsert(session=session, project=ctx.project, papers=judged)
    return sum(bool(record.relevant) for record in judged)


def extract_techniques(ctx: Context, *, web: Web | None = None, endpoints: Endpoints | None = None) -> int:
    """Note credited techniques and reported gains of every screened paper; returns how many papers were read.

    Relevant papers of arXiv are read whole where their HTML or LaTeX can be had; otherwise their abstract must do.
    """
    fetch_bodies(ctx, web=web, endpoints=endpoints)
    reader = make_reader(ctx.settings, ctx.project)
    with ctx.sessions.begin() as session:
        screened = [
            r
            for r in papers.undecided(session=session, project=ctx.project)
            if r.relevant is not None and "gains" not in r.assessment
        ]
        screened = second_reading(ctx, reader, screened)
        read = [with_techniques(record, read_row(reader, record)) for record in screened]
        papers.upsert(session=session, project=ctx.project, papers=read)
        _propose_names(ctx, session, reader, [paper_of(r) for r in screened if r.relevant])
    return len(read)


def assess_applicability(
    ctx: Context, *, web: Web | None = None, endpoints: Endpoints | None = None
) -> dict[str, int]:
    """Rate every read paper and decide what is done with it; returns disposition -> number of papers.

    Its priority is impact over effort, with a little for being cited (``research.impact.with_attention``).
    """
    count_citations(ctx, web=web, endpoints=endpoints)
    reader = make_reader(ctx.settings, ctx.project)
    with ctx.sessions.begin() as session:
        read = [r for r in papers.undecided(session=session, project=ctx.project) if "gains" in r.assessment]
        decided = [with_disposition(record, read_row(reader, record)) for record in read]
        papers.upsert(session=session, project=ctx.project, papers=decided)
    return _counted(str(record.disposition) for record in decided)


def write_research_log(ctx: Context) -> str:
    """Render ``research_log.md``; returns its path relative to the project's home."""
    return paper_log.write(ctx)


def generate_hypotheses(ctx: Context, *, web: Web | None = None) -> list[str]:
    """Queue a hypothesis per mapped technique and escalate what nothing maps; returns ids of new hypotheses.

    Reports of competitors that the configuration names count as papers here: what they have and we do not is tried.
    """
    made = paper_hypotheses.generate(ctx)
    for told in review_reports(ctx, web=web).values():
        made += told["hypotheses"] if isinstance(told, dict) else []
    paper_log.write(ctx)
    return made


def _marks(session: Session, project: str) -> dict[str, Any]:
    """The marks that the last finished fetch left."""
    last = records.logged(session=session, project=project, kind=KIND, limit=1)
    return dict(last[0].inputs.get("marks", {})) if last else {}


def _store(ctx: Context, session: Session, found: Sequence[Collected], before: dict[str, Any]) -> dict[str, Any]:
    known = papers.identities(session=session, project=ctx.project)
    new, updated = [], []
    for paper in merge(paper for c in found if c.batch for paper in c.batch.papers):
        same = next((known[key] for key in keys_of(paper) if key in known), None)
        if same is None:
            new.append(paper)
        elif (better := _newer(session, ctx.project, same, paper)) is not None:
            updated.append(better)
    rows = [row_of(paper, ctx.now()) for paper in (*new, *updated)]
    papers.upsert(session=session, project=ctx.project, papers=rows)
    marks = {**before, **{c.key: dict(c.batch.mark) for c in found if c.batch}}
    told = {c.key: len(c.batch.papers) if c.batch else f"{c.fault}: {c.message}"[:300] for c in found}
    notes = [note[:300] for c in found if c.batch for note in c.batch.notes]
    incomplete = [c.key for c in found if c.batch and c.batch.incomplete]
    faults = sum(c.batch is None for c in found)
    records.log(
        session=session, project=ctx.project, key=f"{KIND}/{ctx.now().isoformat()}", kind=KIND, subject="papers",
        reason=f"{len(new)} new papers, {len(updated)} new versions; {faults} of {len(found)} sources failed",
        inputs={"marks": marks, "sources": told, "notes": notes[:50], "incomplete": incomplete, "new": len(new)},
    )  # fmt: skip
    return {"new": len(new), "updated": len(updated), "sources": told}


def _newer(session: Session, project: str, paper_id: str, paper: Paper) -> Paper | None:
    """The stored paper with a newer version's text or an abstract that it lacked; None when nothing is new."""
    record = papers.get(session=session, project=project, paper_id=paper_id)
    if record is None:
        return None
    stored = paper_of(record)
    [joined] = merge([stored, Paper(**{**_fields(paper), "id": stored.id})])
    changed = (joined.abstract, joined.version, joined.withdrawn) != (
        stored.abstract,
        stored.version,
        stored.withdrawn,
    )
    return (
        joined if changed and (joined.version > stored.version or not stored.abstract or joined.withdrawn) else None
    )


def _fields(paper: Paper) -> dict[str, Any]:
    return {name: getattr(paper, name) for name in Paper.__slots__}


def _propose_names(ctx: Context, session: Session, reader: Reader, read: Iterable[Paper]) -> None:
    """Log technique names that the catalogue does not know, once each: a person adds them or does not."""
    for paper in read:
        for technique in reader.read(paper).techniques:
            if technique.id is None:
                records.log(
                    session=session, project=ctx.project, key=f"technique/{technique.name.casefold()[:120]}",
                    kind="technique_proposal", subject=technique.name[:200],
                    reason=f"{paper.id} credits a technique that technique_catalog.yaml does not know "
                    f"({technique.kind.value}): {' '.join(technique.sentence.split())[:300]}",
                    inputs={"paper": paper.id, "kind": technique.kind.value},
                )  # fmt: skip


def _counted(words: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts
