"""The rank-drop trigger on a real Postgres: wakes at least once, claims nothing, survives its connection."""

import asyncio
import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text
from tests.waiting import eventually

from auto_benchmark.db.repositories import rank_drops, snapshots
from auto_benchmark.leaderboards.compare import compare
from auto_benchmark.leaderboards.snapshot import BoardReading
from auto_benchmark.tables.entry import Entry

pytestmark = pytest.mark.airflow
START = datetime(2026, 3, 1, tzinfo=UTC)
OURS = ["OurSystem"]


@pytest.fixture
def trigger(database_url, sessions, monkeypatch):
    from auto_benchmark_airflow.triggers.rank_drop import RankDropTrigger

    monkeypatch.setenv("AIRFLOW_CONN_AUTO_BENCHMARK_DB", database_url.replace("postgresql+psycopg", "postgresql"))
    yield lambda project, **arguments: RankDropTrigger(project=project, **{"poll_interval": 0.3, **arguments})
    eventually(lambda: listeners(sessions) == 0, "the end of the trigger's connections")


def overtake(sessions, project: str, day: int) -> None:
    """One more competitor passes us on day ``day``."""

    def read(systems: list[str], at: datetime):
        scored = [*((system, 0.9 - 0.01 * i) for i, system in enumerate(systems)), ("OurSystem", 0.5)]
        entries = [Entry(rank=i + 1, system=system, score=score) for i, (system, score) in enumerate(scored)]
        with sessions.begin() as session:
            reading = BoardReading(fetched_at=at, content_hash=f"{systems}", entries=entries)
            return snapshots.record(
                session=session, project=project, board="MemoryBench", reading=reading, ours=OURS
            )[0]

    old = read([f"Rival{i}" for i in range(day)], START + timedelta(days=day))
    new = read([f"Rival{i}" for i in range(day + 1)], START + timedelta(days=day, hours=1))
    with sessions() as session:
        entries = [snapshots.get(session=session, snapshot_id=s.id).entries for s in (old, new)]
    delta = compare(*entries, board="MemoryBench", higher_is_better=True, ours=OURS)
    with sessions.begin() as session:
        snapshots.record_changes(session=session, project=project, new=new, old=old, delta=delta)


async def events(trigger, sessions, *, wanted: int = 1, quiet_s: float = 0.0, meanwhile=None) -> list[dict]:
    """Payloads that the trigger yields: ``wanted`` of them, however long they take, and what ``quiet_s`` more bring.

    ``meanwhile`` runs in a thread once the trigger listens.
    """
    found: list[dict] = []

    async def collect() -> None:
        async for event in trigger.run():
            found.append(event.payload)

    task = asyncio.create_task(collect())
    try:
        if meanwhile:
            await asyncio.to_thread(eventually, lambda: listeners(sessions) or task.done(), "the trigger's listening")
            await asyncio.to_thread(meanwhile)
        await asyncio.to_thread(eventually, lambda: len(found) >= wanted or task.done(), f"event {wanted}")
        await asyncio.sleep(quiet_s)
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
    return found


def listeners(sessions) -> int:
    """How many triggers listen on this module's database, have looked, and wait."""
    from auto_benchmark_airflow.triggers.rank_drop import APPLICATION

    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = :a AND datname = current_database() "
        "AND state = 'idle' AND query ILIKE '%competitive_deltas%'"
    )
    with sessions() as session:
        return session.scalar(text(query), {"a": APPLICATION})


def test_a_committed_rank_drop_wakes_at_once_by_notification(trigger, sessions, project):
    waiting = trigger(project, poll_interval=600)  # far beyond what the test waits for
    found = asyncio.run(events(waiting, sessions, meanwhile=lambda: overtake(sessions, project, 1)))
    assert [event["project"] for event in found] == [project]
    assert len(found[0]["events"]) == 1


def test_it_claims_nothing_and_wakes_again_after_a_restart(trigger, sessions, project):
    overtake(sessions, project, 1)
    first = asyncio.run(events(trigger(project), sessions))
    again = asyncio.run(events(trigger(project), sessions))
    assert first == again
    with sessions() as session:
        assert len(rank_drops.unclaimed(session=session, project=project)) == 1


def test_one_event_does_not_wake_on_every_look(trigger, sessions, project):
    overtake(sessions, project, 1)
    assert len(asyncio.run(events(trigger(project, poll_interval=0.1), sessions, quiet_s=1))) == 1


def test_an_event_that_nobody_answers_wakes_once_more(trigger, sessions, project):
    overtake(sessions, project, 1)
    found = asyncio.run(events(trigger(project, poll_interval=0.1, wake_again=0.5), sessions, wanted=2))
    assert found[0] == found[1]


def test_polling_finds_what_no_notification_told(trigger, sessions, project):
    overtake(sessions, project, 1)
    with sessions.begin() as session:
        session.execute(
            text("UPDATE auto_benchmark.competitive_deltas SET claimed_at = now() WHERE project = :p"), {"p": project}
        )

    def reopen() -> None:
        with sessions.begin() as session:
            session.execute(
                text("UPDATE auto_benchmark.competitive_deltas SET claimed_at = NULL WHERE project = :p"),
                {"p": project},
            )

    assert len(asyncio.run(events(trigger(project), sessions, meanwhile=reopen))) == 1


def test_another_projects_rank_drop_is_not_ours(trigger, sessions, project, small_registry):
    from auto_benchmark.db.repositories import projects

    with sessions.begin() as session:
        projects.upsert(session=session, project="somebody_else", registry=small_registry)
    theirs = {"meanwhile": lambda: overtake(sessions, "somebody_else", 1)}
    assert asyncio.run(events(trigger(project), sessions, wanted=0, quiet_s=1, **theirs)) == []


def test_a_killed_connection_is_replaced(trigger, sessions, project):
    from auto_benchmark_airflow.triggers.rank_drop import APPLICATION

    query = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        "WHERE application_name = :a AND datname = current_database()"
    )

    def kill_then_overtake() -> None:
        with sessions.begin() as session:
            assert session.scalar(text(query), {"a": APPLICATION}) == 1
        overtake(sessions, project, 1)

    assert len(asyncio.run(events(trigger(project), sessions, meanwhile=kill_then_overtake))) == 1


def test_a_sensor_sees_an_event_that_was_answered_already(trigger, sessions, project):
    before = datetime.now(UTC) - timedelta(seconds=5)
    overtake(sessions, project, 1)
    with sessions.begin() as session:
        rank_drops.claim(session=session, project=project, owner="urgent")
    assert len(asyncio.run(events(trigger(project, since=before.isoformat()), sessions))) == 1
    later = (datetime.now(UTC) + timedelta(seconds=60)).isoformat()
    assert asyncio.run(events(trigger(project, since=later), sessions, wanted=0, quiet_s=1)) == []


def test_it_comes_back_from_its_own_description(trigger):
    from airflow.sdk.module_loading import import_string

    path, arguments = trigger("p", since="2026-03-01T00:00:00+00:00").serialize()
    assert import_string(path)(**arguments).serialize() == (path, arguments)


def test_two_triggers_wake_for_one_rank_drop_and_one_claim_gets_it(trigger, sessions, project):
    async def both() -> list[list[dict]]:
        first = events(trigger(project), sessions)
        second = events(trigger(project), sessions, meanwhile=lambda: overtake(sessions, project, 0))
        return await asyncio.gather(first, second)

    woken = asyncio.run(both())
    assert [len(one) for one in woken] == [1, 1]
    assert race_for_claims(sessions, project, ["run of the first", "run of the second"]) == [0, 1]


def test_two_rank_drops_in_one_second_are_two_claims_of_one_run(trigger, sessions, project):
    overtake(sessions, project, 0)
    overtake(sessions, project, 1)
    assert race_for_claims(sessions, project, ["first", "second", "third"]) == [0, 0, 2]


def race_for_claims(sessions, project: str, owners: list[str]) -> list[int]:
    """How many rank drops each owner got when all claim at the same moment, fewest first."""
    start = threading.Barrier(len(owners))

    def claim(owner: str) -> int:
        with sessions.begin() as session:
            start.wait()
            return len(rank_drops.claim(session=session, project=project, owner=owner))

    with ThreadPoolExecutor(len(owners)) as pool:
        return sorted(pool.map(claim, owners))


def test_a_sensor_that_was_woken_for_nothing_waits_again(database_url, project, monkeypatch):
    from airflow.sdk.exceptions import TaskDeferred

    from auto_benchmark_airflow.sensors.rank_drop import RankDropSensor

    monkeypatch.setenv("AIRFLOW_CONN_AUTO_BENCHMARK_DB", database_url.replace("postgresql+psycopg", "postgresql"))
    sensor = RankDropSensor(task_id="drop", project=project, since=START.isoformat())
    with pytest.raises(TaskDeferred):
        sensor.execute_complete({}, {"project": project, "events": [10**9]})
