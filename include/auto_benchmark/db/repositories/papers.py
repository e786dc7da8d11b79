"""Papers and the techniques found in them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, literal, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.db.models import Escalation, Paper, Technique
from auto_benchmark.errors import InputError
from auto_benchmark.research.assessment import Disposition
from auto_benchmark.research.paper_brief import PaperBrief, brief_of_paper
from auto_benchmark.research.record import (
    PaperRecord,
    PaperStage,
    dossier_as_json,
    dossier_from_json,
    reading_as_json,
    reading_from_json,
)

_PLAIN = (
    "source", "title", "abstract", "url", "published_at", "stage", "relevant", "reason", "priority", "disposition",
)  # fmt: skip
UNMAPPED = (Disposition.ESCALATION, Disposition.BRIEF)
MOST_BRIEFS = 10
_COLUMNS = (*_PLAIN, "assessment", "reading")


def upsert(*, session: Session, project: str, papers: Sequence[PaperRecord]) -> None:
    """Record papers whole, with their techniques; what was recorded of the same papers before is replaced."""
    newest = {paper.id: paper for paper in papers}
    if not newest:
        return
    insertion = insert(Paper)
    changed = {column: insertion.excluded[column] for column in _COLUMNS}
    rows = [_row(project, paper) for paper in newest.values()]
    session.execute(insertion.on_conflict_do_update(index_elements=["project", "id"], set_=changed), rows)
    techniques = [
        {"project": project, "paper_id": paper.id, "name": name, "kind": kind, "sentence": sentence}
        for paper in newest.values()
        for name, (kind, sentence) in paper.techniques.items()
    ]
    _forget_techniques(session, project, newest)
    if techniques:
        named = insert(Technique)
        again = {"kind": named.excluded.kind, "sentence": named.excluded.sentence}
        key = ["project", "paper_id", "name"]
        session.execute(named.on_conflict_do_update(index_elements=key, set_=again), techniques)


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


def get(*, session: Session, project: str, paper_id: str, lock: bool = False) -> PaperRecord | None:
    """One paper; with ``lock`` no other transaction changes it until this one ends."""
    query = select(Paper).where(Paper.project == project, Paper.id == paper_id)
    found = _records(session, project, session.scalars(query.with_for_update() if lock else query, **_FRESH).all())
    return found[0] if found else None


def at(*, session: Session, project: str, stage: PaperStage, limit: int = 2000) -> list[PaperRecord]:
    """Papers of a stage, first seen first."""
    return _records(session, project, session.scalars(_at(project, stage, limit)).all())


def take(*, session: Session, project: str, stage: PaperStage, limit: int = 2000) -> list[PaperRecord]:
    """Papers of a stage, first seen first; no other transaction takes or changes them until this one ends."""
    query = _at(project, stage, limit).with_for_update()
    return _records(session, project, session.scalars(query, **_FRESH).all())


def take_unread(*, session: Session, project: str, limit: int) -> list[PaperRecord]:
    """Relevant papers that were screened by a version which kept no readings; taken as by :func:`take`."""
    query = select(Paper).where(
        Paper.project == project, Paper.relevant.is_(True), Paper.reading.is_(None),
        Paper.stage != PaperStage.FETCHED,
    )  # fmt: skip
    query = query.order_by(Paper.first_seen_at, Paper.id).limit(limit).with_for_update()
    return _records(session, project, session.scalars(query, **_FRESH).all())


def take_unmapped(*, session: Session, project: str, limit: int) -> list[PaperRecord]:
    """Papers whose techniques no knob maps; taken as by :func:`take`."""
    query = _at(project, PaperStage.ACTED, limit).where(Paper.disposition.in_(UNMAPPED))
    return _records(session, project, session.scalars(query.with_for_update(), **_FRESH).all())


def briefs(*, session: Session, project: str, limit: int = MOST_BRIEFS) -> list[PaperBrief]:
    """What papers credit and no knob maps, highest priority first; without those that a person has dealt with."""
    dealt_with = (
        select(Escalation.key)
        .where(
            Escalation.project == project, Escalation.key == literal("paper/").concat(Paper.id),
            Escalation.resolved_at.is_not(None),
        )
        .exists()
    )  # fmt: skip
    query = select(Paper).where(
        Paper.project == project, Paper.stage == PaperStage.ACTED, Paper.disposition.in_(UNMAPPED), ~dealt_with
    )
    order = (Paper.priority.desc().nulls_last(), Paper.published_at.desc().nulls_last(), Paper.id)
    found = _records(session, project, session.scalars(query.order_by(*order).limit(limit)).all())
    return [brief for record in found if (brief := brief_of_paper(record)) is not None]


def waiting(*, session: Session, project: str) -> int:
    """How many papers are stored and not assessed yet."""
    early = [PaperStage.FETCHED, PaperStage.SCREENED, PaperStage.EXTRACTED]
    query = select(func.count()).select_from(Paper).where(Paper.project == project, Paper.stage.in_(early))
    return session.scalar(query) or 0


def identities(*, session: Session, project: str) -> dict[str, str]:
    """Every identity (``assessment["keys"]``: DOI, arXiv id, title) -> id of the paper that has it."""
    query = select(Paper.id, Paper.assessment["keys"]).where(Paper.project == project)
    return {key: paper_id for paper_id, keys in session.execute(query).tuples() for key in [paper_id, *(keys or [])]}


_FRESH: dict[str, Any] = {"execution_options": {"populate_existing": True}}
"""A row that was locked is taken as it is now, not as this session saw it before."""


def _at(project: str, stage: PaperStage, limit: int) -> Any:
    query = select(Paper).where(Paper.project == project, Paper.stage == stage)
    return query.order_by(Paper.first_seen_at, Paper.id).limit(limit)


def _forget_techniques(session: Session, project: str, newest: dict[str, PaperRecord]) -> None:
    """Delete techniques that a paper's new version no longer credits."""
    kept = {(paper.id, name) for paper in newest.values() for name in paper.techniques}
    mine = (Technique.project == project, Technique.paper_id.in_(list(newest)))
    stored = session.execute(select(Technique.paper_id, Technique.name).where(*mine)).tuples()
    for paper_id, name in [key for key in stored if key not in kept]:
        session.execute(delete(Technique).where(*mine, Technique.paper_id == paper_id, Technique.name == name))


def _row(project: str, paper: PaperRecord) -> dict[str, Any]:
    plain = {column: getattr(paper, column) for column in _PLAIN}
    reading = None if paper.reading is None else reading_as_json(paper.reading)
    return {
        "project": project, "id": paper.id, **plain, "assessment": dossier_as_json(paper.dossier), "reading": reading,
    }  # fmt: skip


def _records(session: Session, project: str, rows: Sequence[Paper]) -> list[PaperRecord]:
    ids = [row.id for row in rows]
    named: dict[str, dict[str, tuple[str, str]]] = {}
    techniques = select(Technique).where(Technique.project == project, Technique.paper_id.in_(ids))
    for technique in session.scalars(techniques.order_by(Technique.name)):
        named.setdefault(technique.paper_id, {})[technique.name] = (technique.kind, technique.sentence)
    return [_record(row, named.get(row.id, {})) for row in rows]


def _record(row: Paper, techniques: dict[str, tuple[str, str]]) -> PaperRecord:
    try:
        dossier = dossier_from_json(row.assessment)
        reading = None if row.reading is None else reading_from_json(row.reading)
    except ValueError as error:
        raise InputError(f"the database's row of paper {row.id!r} cannot be read: {error}") from None
    return PaperRecord(
        row.id, row.source, row.title, row.abstract, row.url, row.published_at, PaperStage(row.stage), row.relevant,
        row.reason, row.priority, row.disposition, dossier, reading, techniques,
    )  # fmt: skip
