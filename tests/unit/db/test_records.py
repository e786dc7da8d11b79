from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from auto_benchmark.db.models import CycleAudit
from auto_benchmark.db.repositories import board_history, papers, records, snapshots, split_queries
from auto_benchmark.leaderboards.snapshot import BoardReading
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.record import Dossier, HypothesisLink, PaperRecord, PaperStage
from auto_benchmark.tables.entry import Entry

Sessions = sessionmaker[Session]
NOW = datetime(2026, 3, 2, tzinfo=UTC)


def test_the_decision_log_is_written_once(sessions: Sessions, project: str) -> None:
    entry = {"project": project, "key": "promote/1", "kind": "promotion", "subject": "H-001"}
    with sessions.begin() as session:
        assert records.log(session=session, reason="better", inputs={"trials": [1, 2]}, now=NOW, **entry)
        assert not records.log(session=session, reason="rewritten", **entry)
        records.log(session=session, reason="other", **{**entry, "key": "x", "kind": "defense"}, now=NOW)
    with sessions.begin() as session:
        (one,) = records.logged(session=session, project=project, kind="promotion")
        assert (one.reason, one.inputs, one.created_at) == ("better", {"trials": [1, 2]}, NOW)
        assert len(records.logged(session=session, project=project, since=NOW)) == 2
        assert records.logged(session=session, project=project, since=NOW + timedelta(seconds=1)) == []


def test_an_escalation_is_raised_once_and_closed_once(sessions: Sessions, project: str) -> None:
    with sessions.begin() as session:
        raised = {"session": session, "project": project, "key": "gap/MemoryBench"}
        assert records.escalate(title="7 % behind", brief="…", **raised)
        assert not records.escalate(title="8 % behind", brief="…", **raised)
        assert [e.title for e in records.open_escalations(session=session, project=project)] == ["7 % behind"]
        assert records.resolve(resolution="new architecture", **raised)
        assert not records.resolve(resolution="again", **raised)
        assert records.open_escalations(session=session, project=project) == []


def test_a_week_has_one_digest_the_last_one(sessions: Sessions, project: str) -> None:
    week = date(2026, 3, 2)
    with sessions.begin() as session:
        key = {"session": session, "project": project, "week": week}
        assert records.digest(**key) is None
        records.save_digest(markdown="draft", facts={"n": 1}, **key)
        records.save_digest(markdown="final", facts={"n": 2}, **key)
        assert records.digest(**key) == records.WeeklyDigest(week, "final", {"n": 2}, None)


def test_an_audit_passes_only_whole(sessions: Sessions, project: str) -> None:
    checks = [{"name": "snapshots fresh", "passed": True}, {"name": "queue full", "passed": False, "value": 2}]
    a = CycleAudit
    rows = select(a.cycle, a.passed, a.checks, a.audited_at).where(a.project == project)
    with sessions.begin() as session:
        assert not records.audit(session=session, project=project, cycle="c1", checks=checks, now=NOW)
        assert session.execute(rows).one() == ("c1", False, checks, NOW)
        assert records.audit(session=session, project=project, cycle="c1", checks=checks[:1], now=NOW)
        assert session.execute(rows).one() == ("c1", True, checks[:1], NOW)


def test_papers_are_found_once_and_judged_anew(sessions: Sessions, project: str) -> None:
    paper = PaperRecord(Paper("arxiv:2401.00001", "On memory", "We …", "arxiv", published=NOW))
    techniques = {"query expansion": ("inference", "We expand queries.")}
    judged = replace(
        paper, stage=PaperStage.EXTRACTED, relevant=True, priority=2.0, techniques=techniques,
        dossier=Dossier(keys=("doi:10.1/x",), read_on=NOW, hypotheses=(HypothesisLink("H-001", "x", 0.042, 0.3),)),
    )  # fmt: skip
    other = PaperRecord(Paper("arxiv:2401.00002", "On cats", "We …", "arxiv"), relevant=False)
    with sessions.begin() as session:
        papers.upsert(session=session, project=project, papers=[paper, other])
        papers.upsert(session=session, project=project, papers=[judged])
        papers.upsert(session=session, project=project, papers=[])
        assert papers.listed(session=session, project=project) == [judged, other]
        assert papers.listed(session=session, project=project, relevant=True) == [judged]


def test_boards_are_seen_in_order_and_standings_follow_their_readings(sessions: Sessions, project: str) -> None:
    with sessions.begin() as session:
        assert board_history.last_seen(session=session, project=project) == {
            "MemoryBench": None,
            "LongContextEval": None,
        }
        rows = [Entry(rank=1, system="A", score=0.861), Entry(rank=2, system="oursystem", score=0.823)]
        for day, scored in enumerate((rows, [rows[1].model_copy(update={"rank": 1})])):
            reading = BoardReading(NOW + timedelta(days=day), f"hash{day}", scored)
            snapshots.record(
                session=session, project=project, board="MemoryBench", reading=reading, ours=["OurSystem"]
            )
            assert board_history.last_seen(session=session, project=project)["MemoryBench"] == reading.fetched_at
            (newest,) = board_history.history(session=session, project=project, board="MemoryBench", limit=1)
            assert (newest.standing.our_rank, newest.standing.our_score) == ((2, 1)[day], 0.823)


def test_queries_of_a_split_are_counted_by_purpose(sessions: Sessions, project: str) -> None:
    split = {"benchmark": "memory", "version": "1", "split": "hidden", "purpose": "submission"}
    with sessions.begin() as session:
        for _ in range(2):
            split_queries.count(session=session, project=project, **split)
        assert split_queries.by_split(session=session, project=project) == {"memory@1/hidden": {"submission": 2}}
