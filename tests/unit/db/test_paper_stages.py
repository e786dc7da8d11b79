"""Rows of papers go from the version without stages to this one and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from itertools import count
from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from pydantic import TypeAdapter
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, sessionmaker

from auto_benchmark.db.embedded import EmbeddedPostgres
from auto_benchmark.db.engine import engine
from auto_benchmark.db.migrate import alembic_config, upgrade
from auto_benchmark.db.repositories import papers
from auto_benchmark.errors import InputError
from auto_benchmark.registry.technique_catalog import Effort, TechniqueKind
from auto_benchmark.research.applicability import Applicability
from auto_benchmark.research.assessment import AssessedTechnique, PaperReading
from auto_benchmark.research.gains import Gain, GainUnit
from auto_benchmark.research.impact import Impact
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.record import PaperRecord, PaperStage, stage_of
from auto_benchmark.research.relevance import Relevance

BEFORE = str(ScriptDirectory.from_config(alembic_config()).get_revision("0004").down_revision)
NOTES = {"gains": [{"value": 4.2}], "techniques": [{"name": "x", "kind": "data", "sentence": "We x.", "where": ""}]}
LINKS = {"hypotheses": [{"id": "H-001", "technique": "x", "claimed": 0.042, "factor": 0.3}]}
ROWS: list[tuple[PaperStage, bool | None, str | None, dict[str, Any]]] = [
    (PaperStage.FETCHED, None, None, {}),
    (PaperStage.FETCHED, None, None, {"paper": {"full_text": "an article"}}),
    (PaperStage.SCREENED, True, None, {}),
    (PaperStage.SCREENED, False, None, {"paper": {"body": "none: no HTML"}}),
    (PaperStage.EXTRACTED, True, None, NOTES),
    (PaperStage.EXTRACTED, False, None, {"gains": [], "techniques": []}),
    (PaperStage.ASSESSED, True, "hypothesis", {**NOTES, "assessed": []}),
    (PaperStage.ASSESSED, True, "escalation", {**NOTES, "assessed": []}),
    (PaperStage.ACTED, True, "hypothesis", {**NOTES, **LINKS}),
    (PaperStage.ACTED, True, "hypothesis", {**NOTES, "hypotheses": []}),
]
READING = PaperReading(
    "0" * 32, Relevance(True, "names MemoryBench", ("MemoryBench",)),
    (AssessedTechnique("x", "X", "our x", TechniqueKind.DATA, "We x.", Applicability.CONFIGURATION, Effort.LOW,
                       Impact.HIGH, 4.2, 3.0, {"whole": 1, "real": 1.0, "switch": True, "word": "1"}),),
    (Gain(4.2, GainUnit.POINTS, None, "MemoryBench", None, "It gains 4.2.", "Table 1"),),
)  # fmt: skip
_names = count()


@pytest.fixture
def old(postgres: EmbeddedPostgres) -> Iterator[Connection]:
    """A database of the version before, with one row for each way in which a paper could stand."""
    url = postgres.create_database(f"stages_{next(_names)}")
    upgrade(url, BEFORE)
    bind = engine(url)
    with bind.connect() as connection:
        connection.execute(text(
            "INSERT INTO auto_benchmark.projects (name, domain, our_name) VALUES ('p', 'd', 'o')"
        ))  # fmt: skip
        for number, (_, relevant, disposition, assessment) in enumerate(ROWS):
            row = {"id": f"x:{number}", "relevant": relevant, "disposition": disposition, "a": json.dumps(assessment)}
            connection.execute(text(
                "INSERT INTO auto_benchmark.papers (project, id, source, title, abstract, relevant, reason, disposition,"
                " assessment) VALUES ('p', :id, 'arxiv', 't', 'a', :relevant, '', :disposition, CAST(:a AS json))"
            ), row)  # fmt: skip
        connection.commit()
        yield connection
    bind.dispose()


def test_each_row_gets_the_stage_that_its_keys_told(old: Connection) -> None:
    _to(old, "0004")
    found = old.execute(text("SELECT stage, reading FROM auto_benchmark.papers ORDER BY id")).all()
    assert [(stage, None) for stage, *_ in ROWS] == found
    assert [stage for stage, *_ in ROWS] == [stage_of(*row) for _, *row in ROWS], "an import decides as the migration"
    with pytest.raises(IntegrityError, match="ck_papers_stage"):
        old.execute(text("UPDATE auto_benchmark.papers SET stage = 'lost'"))


def test_down_and_up_again_changes_nothing(old: Connection) -> None:
    before = _assessments(old)
    _to(old, "0004")
    _to(old, BEFORE)
    assert _assessments(old) == before == [assessment for *_, assessment in ROWS]
    _to(old, "0004")
    found = old.scalars(text("SELECT stage FROM auto_benchmark.papers ORDER BY id")).all()
    assert found == [stage for stage, *_ in ROWS]


def test_a_paper_read_by_this_version_keeps_its_place_when_it_goes_back(old: Connection) -> None:
    """The version before tells by ``gains`` that a paper was extracted, and by ``hypotheses`` that it was acted upon."""
    _to(old, "0004")
    told = TypeAdapter(PaperReading).dump_json(READING).decode()
    for stage in PaperStage:
        done = stage in {PaperStage.ASSESSED, PaperStage.ACTED}
        row = {"id": f"y:{stage}", "stage": stage.value, "disposition": "hypothesis" if done else None,
               "relevant": None if stage is PaperStage.FETCHED else True,
               "a": json.dumps(LINKS if stage is PaperStage.ACTED else {}),
               "r": None if stage is PaperStage.FETCHED else told}  # fmt: skip
        old.execute(text(
            "INSERT INTO auto_benchmark.papers (project, id, source, title, abstract, stage, relevant, reason,"
            " disposition, assessment, reading) VALUES ('p', :id, 'arxiv', 't', 'a', :stage, :relevant, '',"
            " :disposition, CAST(:a AS json), CAST(:r AS json))"
        ), row)  # fmt: skip
    old.commit()
    _to(old, BEFORE)
    query = "SELECT id, relevant, disposition, assessment FROM auto_benchmark.papers WHERE id LIKE 'y:%'"
    rows = {row.id: row for row in old.execute(text(query)).all()}
    for stage in PaperStage:
        row = rows[f"y:{stage}"]
        assert stage_of(row.relevant, row.disposition, row.assessment) is stage
    [technique] = rows["y:extracted"].assessment["techniques"]
    assert (technique["name"], technique["sentence"]) == ("our x", "We x.")
    assert rows["y:extracted"].assessment["gains"][0]["value"] == 4.2


def test_a_reading_comes_back_as_it_was(sessions: sessionmaker[Session], project: str) -> None:
    record = PaperRecord(Paper("x:3", "t", "a", "arxiv", published=date(2026, 2, 11)), reading=READING)
    with sessions.begin() as session:
        papers.upsert(session=session, project=project, papers=[record])
    with sessions() as session:
        again = papers.get(session=session, project=project, paper_id="x:3")
    assert again == record and again.reading is not None
    patch = again.reading.techniques[0].patch or {}
    assert [type(value) for value in patch.values()] == [int, float, bool, str]


def test_an_older_dossier_is_read(sessions: sessionmaker[Session], project: str) -> None:
    older = {
        **NOTES, **LINKS, "assessed": [{"id": "x"}], "disposition_reason": "because", "keys": ["x:1", "title:t"],
        "read_on": "2026-02-12T08:00:00+00:00", "citations": {"count": 3, "on": "2026-02-13"},
        "paper": {"version": 2, "updated": "2026-02-11T00:00:00+00:00", "body": "html", "tables": [
            {"label": "Table 1", "caption": "c", "columns": ["a", "b"], "rows": [["1", "2"]]}]},
        "second_reader": {"techniques": [{"id": None, "name": "n", "words": "n", "kind": "data", "sentence": "We n.",
                                          "where": ""}], "gains": []},
    }  # fmt: skip
    plain = PaperRecord(Paper("x:1", "t", "a", "arxiv"), reading=READING, stage=PaperStage.ACTED)
    with sessions.begin() as session:
        papers.upsert(session=session, project=project, papers=[plain])
        session.execute(
            text("UPDATE auto_benchmark.papers SET assessment = CAST(:a AS json)"), {"a": json.dumps(older)}
        )
    with sessions.begin() as session:
        record = papers.get(session=session, project=project, paper_id="x:1")
        assert record is not None
        papers.upsert(session=session, project=project, papers=[record])
    found = record.dossier
    assert found.hypotheses is not None and found.hypotheses[0].id == "H-001"
    assert found.citations is not None and found.citations.count == 3
    assert found.second_reader is not None and found.second_reader.techniques[0].kind is TechniqueKind.DATA
    assert (found.body, found.disposition_reason, record.paper.version) == ("html", "because", 2)
    assert record.paper.tables[0].rows == (("1", "2"),)
    with sessions() as session:
        assert papers.get(session=session, project=project, paper_id="x:1") == record


@pytest.mark.parametrize("faulty", ['{"paper": 5}', '{"hypotheses": [{"id": "H-001"}]}', '{"read_on": "soon"}'])
def test_a_row_of_another_shape_is_named(sessions: sessionmaker[Session], project: str, faulty: str) -> None:
    with sessions() as session:
        papers.upsert(session=session, project=project, papers=[PaperRecord(Paper("x:2", "t", "a", "arxiv"))])
        session.execute(text("UPDATE auto_benchmark.papers SET assessment = CAST(:a AS json)"), {"a": faulty})
        session.expire_all()
        with pytest.raises(InputError, match="row of paper 'x:2' cannot be read"):
            papers.listed(session=session, project=project)


def _to(connection: Connection, revision: str) -> None:
    config = alembic_config()
    config.attributes["connection"] = connection
    move = command.downgrade if revision == BEFORE else command.upgrade
    move(config, revision)
    connection.commit()


def _assessments(connection: Connection) -> list[Any]:
    return list(connection.scalars(text("SELECT assessment FROM auto_benchmark.papers ORDER BY id")))
