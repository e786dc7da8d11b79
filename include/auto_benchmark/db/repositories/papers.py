"""Papers and the techniques found in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import delete, func, literal, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.db.models import Escalation, Technique
from auto_benchmark.db.models import Paper as Row
from auto_benchmark.errors import InputError
from auto_benchmark.research.assessment import Disposition, PaperReading
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.paper_brief import PaperBrief, brief_of_paper
from auto_benchmark.research.record import Dossier, PaperRecord, PaperStage
from auto_benchmark.research.result_table import ResultTable

_OF_PAPER = ("source", "title", "abstract", "url")
_OF_RECORD = ("stage", "relevant", "reason", "priority", "disposition")
UNMAPPED = (Disposition.ESCALATION, Disposition.BRIEF)
MOST_BRIEFS = 10
_COLUMNS = (*_OF_PAPER, "published_at", *_OF_RECORD, "assessment", "reading")


@dataclass(frozen=True, slots=True)
class _Text:
    """What of a paper has no column of its own: ``paper`` in the column ``assessment``.

    Attributes:
        body: where the body came from (:class:`Dossier` has it).
        day_only: the source names the day of publishing and no time.
    """

    version: int = 1
    doi: str | None = None
    arxiv_id: str | None = None
    updated: datetime | None = None
    withdrawn: bool = False
    full_text: str = ""
    tables: tuple[ResultTable, ...] = ()
    body: str | None = None
    day_only: bool = False


_TEXT = TypeAdapter(_Text)
_DOSSIER = TypeAdapter(Dossier)
_READING = TypeAdapter(PaperReading)


def upsert(*, session: Session, project: str, papers: Sequence[PaperRecord]) -> None:
    """Record papers whole, with their techniques; what was recorded of the same papers before is replaced."""
    newest = {paper.id: paper for paper in papers}
    if not newest:
        return
    insertion = insert(Row)
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
    order = (Row.priority.desc().nulls_last(), Row.published_at.desc().nulls_last(), Row.id)
    query = select(Row).where(Row.project == project).order_by(*order).limit(limit)
    if since is not None:
        query = query.where(Row.first_seen_at >= since)
    if relevant is not None:
        query = query.where(Row.relevant.is_(relevant))
    return _records(session, project, session.scalars(query).all())


def get(*, session: Session, project: str, paper_id: str, lock: bool = False) -> PaperRecord | None:
    """One paper; with ``lock`` no other transaction changes it until this one ends."""
    query = select(Row).where(Row.project == project, Row.id == paper_id)
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
    query = select(Row).where(
        Row.project == project, Row.relevant.is_(True), Row.reading.is_(None),
        Row.stage != PaperStage.FETCHED,
    )  # fmt: skip
    query = query.order_by(Row.first_seen_at, Row.id).limit(limit).with_for_update()
    return _records(session, project, session.scalars(query, **_FRESH).all())


def take_unmapped(*, session: Session, project: str, limit: int) -> list[PaperRecord]:
    """Papers whose techniques no knob maps; taken as by :func:`take`."""
    query = _at(project, PaperStage.ACTED, limit).where(Row.disposition.in_(UNMAPPED))
    return _records(session, project, session.scalars(query.with_for_update(), **_FRESH).all())


def briefs(*, session: Session, project: str, limit: int = MOST_BRIEFS) -> list[PaperBrief]:
    """What papers credit and no knob maps, highest priority first; without those that a person has dealt with."""
    dealt_with = (
        select(Escalation.key)
        .where(
            Escalation.project == project, Escalation.key == literal("paper/").concat(Row.id),
            Escalation.resolved_at.is_not(None),
        )
        .exists()
    )  # fmt: skip
    query = select(Row).where(
        Row.project == project, Row.stage == PaperStage.ACTED, Row.disposition.in_(UNMAPPED), ~dealt_with
    )
    order = (Row.priority.desc().nulls_last(), Row.published_at.desc().nulls_last(), Row.id)
    found = _records(session, project, session.scalars(query.order_by(*order).limit(limit)).all())
    return [brief for record in found if (brief := brief_of_paper(record)) is not None]


def waiting(*, session: Session, project: str) -> int:
    """How many papers are stored and not assessed yet."""
    early = [PaperStage.FETCHED, PaperStage.SCREENED, PaperStage.EXTRACTED]
    query = select(func.count()).select_from(Row).where(Row.project == project, Row.stage.in_(early))
    return session.scalar(query) or 0


def identities(*, session: Session, project: str) -> dict[str, str]:
    """Every identity (``assessment["keys"]``: DOI, arXiv id, title) -> id of the paper that has it."""
    query = select(Row.id, Row.assessment["keys"]).where(Row.project == project)
    return {key: paper_id for paper_id, keys in session.execute(query).tuples() for key in [paper_id, *(keys or [])]}


_FRESH: dict[str, Any] = {"execution_options": {"populate_existing": True}}
"""A row that was locked is taken as it is now, not as this session saw it before."""


def _at(project: str, stage: PaperStage, limit: int) -> Any:
    query = select(Row).where(Row.project == project, Row.stage == stage)
    return query.order_by(Row.first_seen_at, Row.id).limit(limit)


def _forget_techniques(session: Session, project: str, newest: dict[str, PaperRecord]) -> None:
    """Delete techniques that a paper's new version no longer credits."""
    kept = {(paper.id, name) for paper in newest.values() for name in paper.techniques}
    mine = (Technique.project == project, Technique.paper_id.in_(list(newest)))
    stored = session.execute(select(Technique.paper_id, Technique.name).where(*mine)).tuples()
    for paper_id, name in [key for key in stored if key not in kept]:
        session.execute(delete(Technique).where(*mine, Technique.paper_id == paper_id, Technique.name == name))


def _row(project: str, record: PaperRecord) -> dict[str, Any]:
    paper = record.paper
    return {
        "project": project, "id": paper.id,
        **{column: getattr(paper, column) for column in _OF_PAPER},
        "published_at": record.published_at,
        **{column: getattr(record, column) for column in _OF_RECORD},
        "assessment": _assessment(record),
        "reading": None if record.reading is None else _READING.dump_python(record.reading, mode="json"),
    }  # fmt: skip


def _assessment(record: PaperRecord) -> dict[str, Any]:
    """The column ``assessment``: the rest of the paper, and the dossier; what is not known has no key."""
    paper = record.paper
    text = _Text(
        paper.version, paper.doi, paper.arxiv_id, paper.updated, paper.withdrawn, paper.full_text, paper.tables,
        record.dossier.body, day_only=paper.published is not None and not isinstance(paper.published, datetime),
    )  # fmt: skip
    dossier = _DOSSIER.dump_python(record.dossier, mode="json", exclude={"body"})
    known = {key: value for key, value in dossier.items() if value is not None}
    return {"paper": _TEXT.dump_python(text, mode="json"), **known}


def _records(session: Session, project: str, rows: Sequence[Row]) -> list[PaperRecord]:
    ids = [row.id for row in rows]
    named: dict[str, dict[str, tuple[str, str]]] = {}
    techniques = select(Technique).where(Technique.project == project, Technique.paper_id.in_(ids))
    for technique in session.scalars(techniques.order_by(Technique.name)):
        named.setdefault(technique.paper_id, {})[technique.name] = (technique.kind, technique.sentence)
    return [_record(row, named.get(row.id, {})) for row in rows]


def _record(row: Row, techniques: dict[str, tuple[str, str]]) -> PaperRecord:
    """A row, of this version or of one before stages were stored."""
    stored: Mapping[str, Any] = row.assessment
    try:
        text = _TEXT.validate_python(stored.get("paper", {}))
        dossier = _DOSSIER.validate_python({**stored, "body": text.body})
        reading = None if row.reading is None else _READING.validate_python(row.reading)
    except ValueError as error:
        raise InputError(f"the database's row of paper {row.id!r} cannot be read: {error}") from None
    published = row.published_at.date() if row.published_at and text.day_only else row.published_at
    paper = Paper(
        row.id, row.title, row.abstract, row.source, row.url, published, text.updated, text.version, text.doi,
        text.arxiv_id, text.full_text, text.withdrawn, text.tables,
    )  # fmt: skip
    return PaperRecord(
        paper, PaperStage(row.stage), row.relevant, row.reason, row.priority, row.disposition, dossier, reading,
        techniques,
    )  # fmt: skip
