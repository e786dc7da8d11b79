"""Every text of a paper is read once, whatever kills an ingest and however often it runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import pytest
import yaml
from sqlalchemy import insert, text
from tests.fakes import papers_server as fake
from tests.research_world import ELSEWHERE, PAPER, UNMAPPED, World

from auto_benchmark.db.models import Base
from auto_benchmark.db.repositories import hypotheses, papers, records
from auto_benchmark.flows import inline
from auto_benchmark.papers import ingest as research_ingest
from auto_benchmark.project import reconcile as reconciling
from auto_benchmark.research.assessment import Findings, text_identity
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.reader import Reader
from auto_benchmark.research.record import PaperRecord, PaperStage
from auto_benchmark.sources.connection import Answer, NamedConnections

STEPS = (
    "reconcile", "fetch_papers", "screen_relevance", "extract_techniques", "assess_applicability", "write_research_log",
    "generate_hypotheses",
)  # fmt: skip
LATEX = (
    r"\documentclass{article}\begin{document}We use self-consistency over six reads. " + "We read on. " * 200 +
    r"\end{document}"
)  # fmt: skip


class Killed(BaseException):
    """The process dies here."""


@dataclass
class Model:
    """A second reader that finds one technique in one of the papers."""

    calls: int = 0

    def post(self, _path: str, _body: Mapping[str, Any], **_: Any) -> Answer:
        self.calls += 1
        found = {"name": "linear mixing", "kind": "architecture", "quote": "We propose linear attention."}
        message = {"content": json.dumps({"techniques": [found], "gains": []})}
        return Answer(200, json.dumps({"choices": [{"message": message}], "usage": {"total_tokens": 9}}).encode())


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """(paper, identity of the text) -> how often the rules read it."""
    counted: Counter[tuple[str, str]] = Counter()
    read_text = Reader.read_text

    def counting(self: Reader, paper: Paper, more: Findings | None = None) -> Any:
        counted[paper.id, text_identity(paper, more)] += 1
        return read_text(self, paper, more)

    monkeypatch.setattr(Reader, "read_text", counting)
    return counted


@pytest.fixture
def full_world(world: World) -> World:
    """Three papers: one with a body, one in which the second reader finds something, one about something else."""
    inline.scrape(world.ctx)
    world.publish(PAPER, UNMAPPED, ELSEWHERE)
    world.services.routes["/e-print/2602.00001v1"] = fake.static(fake.single_file(LATEX), "application/gzip")
    file = world.ctx.settings.config / "research_config.yaml"
    declared = yaml.safe_load(file.read_text())
    file.write_text(yaml.safe_dump({**declared, "second_reader": {"conn_id": "model", "model": "m"}}))
    world.ctx = replace(world.ctx, connections=NamedConnections({"model": Model()}))
    return world


def test_every_text_is_read_exactly_once(full_world: World, reads: Counter[tuple[str, str]]) -> None:
    world = full_world
    told = world.ingest()
    assert told["dispositions"] == {"hypothesis": 1, "escalation": 1, "irrelevant": 1}, world.said
    by_paper = Counter(paper for paper, _ in reads)
    assert by_paper == {"arxiv:2602.00001": 2, "arxiv:2602.00002": 2, "arxiv:2602.00003": 1}, (
        "abstract; what came later"
    )
    assert set(reads.values()) == {1}
    second = _paper(world, "arxiv:2602.00002")
    assert second.reading is not None and [t.name for t in second.reading.techniques][-1] == "linear mixing"
    first = _paper(world, "arxiv:2602.00001")
    assert first.reading is not None and first.dossier.body == "latex"
    before = dict(reads)
    world.ingest()
    research_ingest.write_research_log(world.ctx)
    assert reads == before, "nothing new has come"
    world.publish(PAPER, UNMAPPED, {**ELSEWHERE, "id": "2602.00003v2", "summary": PAPER["summary"]})
    world.ingest()
    assert sum(reads.values()) == sum(before.values()) + 1, "a new version is new text"
    assert set(reads.values()) == {1}


def test_two_processes_read_a_text_once(world: World, reads: Counter[tuple[str, str]]) -> None:
    inline.scrape(world.ctx)
    world.publish(*({**PAPER, "id": f"2602.0000{n}v1", "title": f"{PAPER['title']}, part {n}"} for n in range(1, 7)))
    research_ingest.fetch_papers(world.ctx, web=world.web, endpoints=world.feed.endpoints)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: research_ingest.screen_relevance(world.ctx), range(4)))
    assert sum(found) == 6
    assert len(reads) == 6 and set(reads.values()) == {1}


def test_killed_wherever_it_can_be_it_ends_the_same(
    full_world: World, reads: Counter[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dies behind each step, behind each reading, and behind each write before it is committed; goes on each time."""
    world, deaths = full_world, Counter[str]()
    for name in STEPS:
        module = reconciling if name == "reconcile" else research_ingest
        monkeypatch.setattr(module, name, _dying(name, getattr(module, name), deaths))
    monkeypatch.setattr(papers, "upsert", _dying("upsert", papers.upsert, deaths, times=9))
    monkeypatch.setattr(Reader, "read_text", _dying("read", Reader.read_text, deaths, times=5))
    for _ in range(40):
        try:
            world.ingest()
        except Killed:
            continue
        break
    assert all(deaths[name] == 1 for name in STEPS)
    assert deaths["upsert"] == 9 and deaths["read"] == 5, "every place was hit"
    rows = {record.id: record for record in _papers(world)}
    assert {record.stage for record in rows.values()} == {PaperStage.ACTED}
    assert {name: record.disposition for name, record in rows.items()} == {
        "arxiv:2602.00001": "hypothesis", "arxiv:2602.00002": "escalation", "arxiv:2602.00003": "irrelevant",
    }  # fmt: skip
    with world.ctx.sessions() as session:
        [made] = hypotheses.listed(session=session, project=world.ctx.project)
        [asked] = records.open_escalations(session=session, project=world.ctx.project)
    assert [link.id for link in rows["arxiv:2602.00001"].dossier.hypotheses or ()] == [made.id]
    assert "Linear attention" in asked.title
    assert f"Generated {made.id}" in (world.ctx.home / "research_log.md").read_text()
    _as_if_never_killed(world, rows)


def _as_if_never_killed(world: World, rows: Mapping[str, PaperRecord]) -> None:
    """Forget the papers, ingest once more undisturbed, and compare."""
    with world.ctx.sessions.begin() as session:
        session.execute(text("delete from auto_benchmark.papers"))
        session.execute(text("delete from auto_benchmark.decision_log where kind = 'research_ingest'"))
    world.ingest()
    for record in _papers(world):
        killed = rows[record.id]
        when = replace(record.dossier, read_on=killed.dossier.read_on)
        assert replace(record, dossier=when) == killed


def test_a_step_stopped_after_a_batch_goes_on_with_the_next(
    world: World, reads: Counter[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    inline.scrape(world.ctx)
    world.publish(*({**PAPER, "id": f"2602.0000{n}v1", "title": f"{PAPER['title']}, part {n}"} for n in range(1, 7)))
    research_ingest.fetch_papers(world.ctx, web=world.web, endpoints=world.feed.endpoints)
    monkeypatch.setattr(research_ingest, "BATCH", 2)
    counting = Reader.read_text
    deaths = Counter[str]()
    monkeypatch.setattr(Reader, "read_text", _dying("read", counting, deaths, after=2))
    with pytest.raises(Killed):
        research_ingest.screen_relevance(world.ctx)
    stages = Counter(record.stage for record in _papers(world))
    assert stages == {PaperStage.SCREENED: 2, PaperStage.FETCHED: 4}
    assert research_ingest.screen_relevance(world.ctx) == 4
    assert sum(reads.values()) == 7, "the one that was being read is read again, the committed ones are not"


def test_papers_of_versions_without_stages_are_gone_on_with(world: World, reads: Counter[tuple[str, str]]) -> None:
    """Rows as an archive of such a version holds them: no stage, no reading, progress told by keys."""
    inline.scrape(world.ctx)
    shared = {"gains": [], "techniques": [{"name": "x", "kind": "inference", "sentence": "We x.", "where": ""}]}
    judged = {**shared, "assessed": [{"id": None, "name": "x"}], "disposition_reason": "because"}
    link = {"id": "H-900", "technique": "self_consistency", "claimed": 0.042, "factor": 0.3}
    rows = [
        _old_row(1, PaperStage.FETCHED, {}),
        _old_row(2, PaperStage.SCREENED, {}, relevant=True),
        _old_row(3, PaperStage.EXTRACTED, shared, relevant=True),
        _old_row(4, PaperStage.ASSESSED, judged, relevant=True, disposition="hypothesis"),
        _old_row(5, PaperStage.ACTED, {**judged, "hypotheses": [link]}, relevant=True, disposition="hypothesis"),
        _old_row(6, PaperStage.ASSESSED, judged, relevant=False, disposition="irrelevant"),
    ]
    with world.ctx.sessions.begin() as session:
        session.execute(
            insert(Base.metadata.tables["auto_benchmark.papers"]),
            [{"project": world.ctx.project, **row} for _, row in rows],
        )
    assert {record.id: record.stage for record in _papers(world)} == {row["id"]: stage for stage, row in rows}
    with world.ctx.sessions() as session:
        assert papers.waiting(session=session, project=world.ctx.project) == 3
    told = world.ingest()
    assert told["dispositions"] == {"hypothesis": 3}
    found = {record.id: record for record in _papers(world)}
    assert {record.stage for record in found.values()} == {PaperStage.ACTED}
    assert [found["x:5"].dossier.hypotheses[0].id] == ["H-900"], "what came of it stays"
    assert all(found[f"x:{n}"].reading for n in range(1, 6))
    assert set(reads.values()) == {1} and {paper for paper, _ in reads} == {f"x:{n}" for n in range(1, 6)}
    world.ingest()
    assert set(reads.values()) == {1}


def test_a_technique_that_got_its_knobs_later_becomes_a_hypothesis(world: World) -> None:
    """As the escalation's brief promises."""
    inline.scrape(world.ctx)
    world.publish(UNMAPPED)
    assert world.ingest()["hypotheses"] == []
    solution = world.ctx.settings.solutions / "toy" / "solution.yaml"
    declared = yaml.safe_load(solution.read_text())
    declared["techniques"]["linear_attention"] = {"reads": 5}
    solution.write_text(yaml.safe_dump(declared))
    [born] = world.ingest()["hypotheses"]
    record = _paper(world, "arxiv:2602.00002")
    assert (record.stage, record.disposition) == (PaperStage.ACTED, "hypothesis")
    with world.ctx.sessions() as session:
        found = hypotheses.get(session=session, project=world.ctx.project, hypothesis_id=born)
        assert found is not None and found.implementation.patch == {"reads": 5}
        assert records.open_escalations(session=session, project=world.ctx.project) == [], "nobody is asked any more"
    assert world.ingest()["hypotheses"] == []


def test_techniques_that_a_new_version_does_not_credit_are_forgotten(world: World) -> None:
    inline.scrape(world.ctx)
    world.publish(PAPER)
    world.ingest()
    assert "Self-consistency" in _paper(world, "arxiv:2602.00001").techniques
    world.publish({**PAPER, "id": "2602.00001v2", "summary": UNMAPPED["summary"]})
    world.ingest()
    assert list(_paper(world, "arxiv:2602.00001").techniques) == ["Linear attention"]


def _dying(
    name: str, work: Callable[..., Any], deaths: Counter[str], *, times: int = 1, after: int = 0
) -> Callable[..., Any]:
    """Does its work and dies: ``times`` times, once ``after`` calls went well."""
    calls = Counter[str]()

    def dying(*args: Any, **kwargs: Any) -> Any:
        done = work(*args, **kwargs)
        calls[name] += 1
        if calls[name] > after and deaths[name] < times:
            deaths[name] += 1
            raise Killed
        return done

    return dying


def _old_row(
    number: int, stage: PaperStage, assessment: dict[str, Any], **judged: Any
) -> tuple[PaperStage, dict[str, Any]]:
    text_of = {"version": 1, "doi": None, "arxiv_id": None, "updated": None, "withdrawn": False, "full_text": "",
               "tables": []}  # fmt: skip
    kept = {"paper": text_of, "keys": [f"x:{number}"], "read_on": "2026-02-12T08:00:00+00:00", **assessment}
    columns = {"relevant": None, "disposition": None, "priority": None, "reason": "", "url": None, **judged}
    return stage, {
        "id": f"x:{number}", "source": "arxiv", "title": f"{PAPER['title']}, part {number}",
        "abstract": PAPER["summary"], "published_at": None, "assessment": kept, **columns,
    }  # fmt: skip


def _papers(world: World) -> list[PaperRecord]:
    with world.ctx.sessions() as session:
        return papers.listed(session=session, project=world.ctx.project)


def _paper(world: World, paper_id: str) -> PaperRecord:
    [found] = [record for record in _papers(world) if record.id == paper_id]
    return found
