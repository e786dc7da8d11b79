from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session, sessionmaker
from tests.waiting import LIMIT_S

from auto_benchmark.db.repositories import board_history, locks, projects, rank_drops, snapshots
from auto_benchmark.leaderboards.alert import Level, Topic, alert_line
from auto_benchmark.leaderboards.delta import Change, ChangeType, Delta
from auto_benchmark.leaderboards.snapshot import BoardReading, Snapshot, SnapshotStatus
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
from auto_benchmark.tables.entry import Entry

Sessions = sessionmaker[Session]
OURS = ("OurSystem", "our-system-v2")
DAY = datetime(2026, 3, 1, 6, tzinfo=UTC)
BOARD = "MemoryBench"


def entries(**scores: float) -> list[Entry]:
    best_first = sorted(scores.items(), key=lambda item: -item[1])
    return [Entry(rank=i, system=name, score=score) for i, (name, score) in enumerate(best_first, 1)]


def reading(day: int, content: str, **scores: float) -> BoardReading:
    return BoardReading(fetched_at=DAY + timedelta(days=day), content_hash=content, entries=entries(**scores))


def record(sessions: Sessions, project: str, one: BoardReading) -> tuple[Snapshot, bool]:
    with sessions.begin() as session:
        return snapshots.record(session=session, project=project, board=BOARD, reading=one, ours=OURS)


def test_boards_follow_the_registry(sessions: Sessions, project: str, small_registry: CompetitiveRegistry) -> None:
    declared = small_registry.model_dump(exclude_unset=True)
    declared["target_leaderboards"] = [{**declared["target_leaderboards"][1], "items": 500}]
    with sessions.begin() as session:
        before = projects.board_ids(session=session, project=project)
        changed = CompetitiveRegistry.model_validate(declared)
        after = projects.upsert(session=session, project=project, registry=changed)
        boards = projects.boards(session=session, project=project)
    assert list(before) == ["MemoryBench", "LongContextEval"]
    assert after == {"LongContextEval": before["LongContextEval"]}
    assert [(board.name, board.items) for board in boards] == [("LongContextEval", 500)]
    with sessions.begin() as session:
        assert projects.board_id(session=session, project=project, board=BOARD) == before[BOARD]
        again = projects.upsert(session=session, project=project, registry=small_registry)
    assert again == before


def test_the_same_content_is_stored_once_and_a_return_is_new(sessions: Sessions, project: str) -> None:
    first, is_new = record(sessions, project, reading(0, "a", A=0.847, OurSystem=0.823))
    assert is_new
    touched, is_new = record(sessions, project, reading(1, "a", A=0.847, OurSystem=0.823))
    assert not is_new and touched.id == first.id
    assert (touched.fetched_at, touched.last_seen_at) == (DAY, DAY + timedelta(days=1))
    second, _ = record(sessions, project, reading(2, "b", A=0.861, OurSystem=0.823))
    third, is_new = record(sessions, project, reading(3, "a", A=0.847, OurSystem=0.823))
    assert is_new and len({first.id, second.id, third.id}) == 3
    with sessions.begin() as session:
        newest = snapshots.latest(session=session, project=project, board=BOARD)
        assert newest is not None and newest.id == third.id
        assert newest.entries == tuple(entries(A=0.847, OurSystem=0.823))
        before = snapshots.previous(session=session, project=project, snapshot=newest)
        assert before is not None and before.id == second.id and before.entries[0].score == 0.861
        history = board_history.history(session=session, project=project, board=BOARD)
        seen = board_history.last_seen(session=session, project=project)
    assert [(h.standing.our_rank, h.standing.leader_score) for h in history] == [(2, 0.847), (2, 0.861), (2, 0.847)]
    assert [h.standing.runner_up_score for h in history] == [0.823] * 3
    assert seen == {"MemoryBench": DAY + timedelta(days=3), "LongContextEval": None}


def test_a_reading_that_another_scrape_overtook_stores_no_second_one(sessions: Sessions, project: str) -> None:
    """Of two scrapes at once the one that fetched first may store last."""
    first, _ = record(sessions, project, reading(0, "a", A=0.847))
    second, _ = record(sessions, project, reading(3, "b", A=0.861))
    late, is_new = record(sessions, project, reading(2, "b", A=0.861))
    assert not is_new and late == second
    between, is_new = record(sessions, project, reading(1, "c", A=0.85))
    assert is_new and between.id not in {first.id, second.id}
    earliest, is_new = record(sessions, project, reading(-1, "a", A=0.847))
    assert not is_new and (earliest.id, earliest.last_seen_at) == (first.id, DAY)


def test_every_field_of_an_entry_survives(sessions: Sessions, project: str) -> None:
    odd = [
        Entry(
            rank=1,
            system='Tab\tand "quote" — ünï\\N',
            score=0.1 + 0.2,
            stderr=1e-300,
            metrics={"a b": None, "c": 2.5},
        ),
        Entry(rank=None, system="our-system-v2", score=None, note="withdrawn*"),
    ]
    one = BoardReading(
        fetched_at=DAY, content_hash="odd", entries=odd, warnings=("two units",), raw_uri="raw/1.html.gz"
    )
    record(sessions, project, one)
    with sessions.begin() as session:
        stored = snapshots.latest(session=session, project=project, board=BOARD)
    assert stored is not None and list(stored.entries) == odd


def test_a_refused_reading_never_becomes_the_latest(sessions: Sessions, project: str) -> None:
    good, _ = record(sessions, project, reading(0, "a", A=0.8))
    refused = BoardReading(
        DAY + timedelta(days=1), "half", status=SnapshotStatus.REFUSED, reason="lost 90 % of its rows"
    )
    first, _ = record(sessions, project, refused)
    again, is_new = record(
        sessions, project, BoardReading(DAY + timedelta(days=2), "half", status=refused.status, reason=refused.reason)
    )
    assert not is_new and again.id == first.id
    with sessions.begin() as session:
        newest = snapshots.latest(session=session, project=project, board=BOARD, with_entries=False)
        problem = snapshots.last_problem(session=session, project=project, board=BOARD)
    assert newest is not None and newest.id == good.id
    assert problem is not None and problem.reason == "lost 90 % of its rows"
    record(sessions, project, reading(3, "a", A=0.8))
    with sessions.begin() as session:
        assert snapshots.last_problem(session=session, project=project, board=BOARD) is None


def test_an_unknown_board_is_an_error(sessions: Sessions, project: str) -> None:
    with pytest.raises(KeyError, match="NoSuchBoard"), sessions.begin() as session:
        snapshots.record(
            session=session, project=project, board="NoSuchBoard", reading=reading(0, "a", A=1.0), ours=OURS
        )


def test_scrapes_of_one_board_at_once_store_one_snapshot(sessions: Sessions, project: str) -> None:
    barrier, results = Barrier(4), []

    def scrape() -> None:
        barrier.wait()
        results.append(record(sessions, project, reading(0, "a", A=0.8)))

    threads = [Thread(target=scrape) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(is_new for _, is_new in results) == 1
    assert len({snapshot.id for snapshot, _ in results}) == 1


def overtaken(sessions: Sessions, project: str) -> tuple[Snapshot, Snapshot, Delta]:
    old, _ = record(sessions, project, reading(0, "a", OurSystem=0.85, A=0.84))
    new, _ = record(sessions, project, reading(1, "b", A=0.86, StartupX=0.855, OurSystem=0.85))
    changes = [
        Change(type=ChangeType.OVERTOOK_US, system="A", old=0.84, new=0.86, old_rank=2, new_rank=1),
        Change(type=ChangeType.NEW_ENTRANT, system="StartupX", new=0.855, new_rank=2),
        Change(type=ChangeType.IMPROVED, system="A", old=0.84, new=0.86, old_rank=2, new_rank=1),
    ]
    return old, new, Delta(board=BOARD, changes=changes, alerts=[alert_line(Level.ALERT, Topic.OTHERS, "A improved")])


def test_changes_are_recorded_once_and_wake_listeners_on_commit(
    sessions: Sessions, project: str, database_url: str
) -> None:
    old, new, delta = overtaken(sessions, project)
    with psycopg.connect(database_url.replace("+psycopg", ""), autocommit=True) as listener:
        listener.execute(f"LISTEN {rank_drops.CHANNEL}")
        with sessions() as session:
            assert snapshots.record_changes(session=session, project=project, old=old, new=new, delta=delta)
            session.rollback()
        assert list(listener.notifies(timeout=0.1)) == []
        for expected in (True, False):
            with sessions.begin() as session:
                assert (
                    snapshots.record_changes(session=session, project=project, old=old, new=new, delta=delta)
                    is expected
                )
        heard = list(listener.notifies(timeout=LIMIT_S, stop_after=1))
        assert [json.loads(one.payload) for one in heard] == [{"project": project}]
        with sessions.begin() as session:
            assert rank_drops.notify_unclaimed(session=session, project=project) == 2
        assert len(list(listener.notifies(timeout=LIMIT_S, stop_after=1))) == 1
    with sessions.begin() as session:
        assert snapshots.changes_of(session=session, snapshot_id=new.id) == delta
        assert snapshots.changes_of(session=session, snapshot_id=old.id) is None
        assert board_history.changes_since(session=session, project=project, after=DAY) == [delta]
        drops = rank_drops.unclaimed(session=session, project=project)
    assert [drop.change.system for drop in drops] == ["A", "StartupX"]
    assert len({drop.key for drop in drops}) == 2


def test_two_claimers_share_the_rank_drops_and_a_lost_claim_returns(sessions: Sessions, project: str) -> None:
    old, new, delta = overtaken(sessions, project)
    with sessions.begin() as session:
        snapshots.record_changes(session=session, project=project, old=old, new=new, delta=delta)
    with sessions() as killed:
        assert len(rank_drops.claim(session=killed, project=project, owner="killed")) == 2
        with sessions.begin() as other:
            assert rank_drops.claim(session=other, project=project, owner="other") == []
        killed.rollback()
    with sessions.begin() as session:
        assert len(rank_drops.claim(session=session, project=project, owner="next")) == 2
    with sessions.begin() as session:
        assert rank_drops.claim(session=session, project=project, owner="late") == []
        assert rank_drops.notify_unclaimed(session=session, project=project) == 0


def test_one_holder_of_the_registry_lock(sessions: Sessions, project: str) -> None:
    with sessions.begin() as session:
        locks.lock(session=session, project=project, what="registry")
        with sessions.begin() as other:
            assert not locks.try_lock(session=other, project=project, what="registry")
            assert locks.try_lock(session=other, project="another", what="registry")
    with sessions.begin() as session:
        assert locks.try_lock(session=session, project=project, what="registry")


def test_a_deleted_project_leaves_nothing(sessions: Sessions, project: str) -> None:
    old, new, delta = overtaken(sessions, project)
    with sessions.begin() as session:
        snapshots.record_changes(session=session, project=project, old=old, new=new, delta=delta)
        assert projects.delete(session=session, project=project)
        assert not projects.delete(session=session, project=project)
        for table in ("leaderboards", "leaderboard_snapshots", "leaderboard_entries", "competitive_deltas"):
            left = session.scalar(
                text(f"SELECT count(*) FROM auto_benchmark.{table} WHERE project = :p"), {"p": project}
            )
            assert left == 0, table


def test_an_entry_is_read_back_with_its_link_and_its_note(sessions: Sessions, project: str) -> None:
    entry = Entry(rank=1, system="A", score=0.9, url="https://boards.example/a\t1", note="†")
    record(sessions, project, BoardReading(fetched_at=DAY, content_hash="linked", entries=[entry]))
    with sessions.begin() as session:
        newest = snapshots.latest(session=session, project=project, board=BOARD)
        assert newest is not None and newest.entries == (entry,)
