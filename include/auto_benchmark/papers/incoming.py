"""What sources delivered, into the database: new papers, new versions of known ones, and how far each was read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import papers, records
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.context import Context
from auto_benchmark.research.dedupe import keys_of, merge
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.record import PaperRecord
from auto_benchmark.sources.papers.collect import Collected


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
    rows = [PaperRecord.fetched(paper, ctx.now()) for paper in (*new, *updated)]
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


def _fields(paper: Paper) -> dict[str, Any]:
    return {name: getattr(paper, name) for name in Paper.__slots__}
