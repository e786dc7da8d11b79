"""Papers and the techniques found in them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.db.models import Paper, Technique
from auto_benchmark.research.record import PaperRecord

_COLUMNS = (
    "source", "title", "abstract", "url", "published_at",
    "relevant", "reason", "priority", "disposition", "assessment",
)  # fmt: skip


def upsert(*, session: Session, project: str, papers: Sequence[PaperRecord]) -> None:
    """Record papers with their judgement and techniques; a paper recorded again is judged anew."""
    newest = {paper.id: paper for paper in papers}
    if not newest:
        return
    rows = [
        {"project": project, "id": paper.id, **{c: getattr(paper, c) for c in _COLUMNS}} for paper in newest.values()
    ]
    insertion = insert(Paper)
    changed = {column: insertion.excluded[column] for column in _COLUMNS}
    session.execute(insertion.on_conflict_do_update(index_elements=["project", "id"], set_=changed), rows)
    techniques = [
        {"project": project, "paper_id": paper.id, "name": name, "kind": kind, "sentence": sentence}
        for paper in newest.values()
        for name, (kind, sentence) in paper.techniques.items()
    ]
    if techniques:
        named = insert(Technique)
        again = {"kind": named.excluded.kind, "sentence": named.excluded.sentence}
        key = ["project", "paper_id", "name"]
        session.execute(named.on_conflict_do_update(index_elements=key, set_=again), techniques)


def unseen(*, session: Session, project: str, paper_ids: Collection[str]) -> list[str]:
    """Those of ``paper_ids`` that are not recorded yet, in their order."""
    query = select(Paper.id).where(Paper.project == project, Paper.id.in_(list(paper_ids)))
    known = set(session.scalars(query))
    return [paper_id for paper_id in paper_ids if paper_id not in known]


def listed(
    *, session: Session, project: str, since: datetime | None = None, relevant: bool | None = None, limit: int = 200
) -> list[PaperRecord]:
    """Papers by priority, highest first; optionally those first seen since a moment, or of one relevance."""
    order = (Paper.priority.desc().nulls_last(), Paper.published_at.desc().nulls_last(), Paper.id)
    query = select(Paper).where(Paper.project == project).order_by(*order).limit(limit)
    if since is not None:
        query = query.where(Paper.first_seen_at >= since)
    if relevant is not None:
        query = query.where(Paper.relevant.is_(relevant))
    return _records(session, project, session.scalars(query).all())


def get(*, session: Session, project: str, paper_id: str) -> PaperRecord | None:
    """One paper."""
    row = session.get(Paper, (project, paper_id), populate_existing=True)
    return None if row is None else _records(session, project, [row])[0]


def undecided(*, session: Session, project: str, limit: int = 2000) -> list[PaperRecord]:
    """Papers that have no disposition yet, first seen first."""
    order = (Paper.first_seen_at, Paper.id)
    query = select(Paper).where(Paper.project == project, Paper.disposition.is_(None)).order_by(*order).limit(limit)
    return _records(session, project, session.scalars(query).all())


def identities(*, session: Session, project: str) -> dict[str, str]:
    """Every identity (``assessment["keys"]``: DOI, arXiv id, title) -> id of the paper that has it."""
    query = select(Paper.id, Paper.assessment["keys"]).where(Paper.project == project)
    return {key: paper_id for paper_id, keys in session.execute(query).tuples() for key in [paper_id, *(keys or [])]}


def _records(session: Session, project: str, rows: Sequence[Paper]) -> list[PaperRecord]:
    ids = [row.id for row in rows]
    named: dict[str, dict[str, tuple[str, str]]] = {}
    techniques = select(Technique).where(Technique.project == project, Technique.paper_id.in_(ids))
    for technique in session.scalars(techniques.order_by(Technique.name)):
        named.setdefault(technique.paper_id, {})[technique.name] = (technique.kind, technique.sentence)
    return [
        PaperRecord(id=row.id, **{c: getattr(row, c) for c in _COLUMNS}, techniques=named.get(row.id, {}))
        for row in rows
    ]
