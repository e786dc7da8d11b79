from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread

from sqlalchemy.orm import Session, sessionmaker

from auto_benchmark.db.repositories import hypotheses
from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus, Implementation, Urgency
from auto_benchmark.hypotheses.queue import priority_score
from auto_benchmark.registry.technique_catalog import Effort

Sessions = sessionmaker[Session]
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def hypothesis(config: str, priority: float = 1.0) -> Hypothesis:
    change = Implementation(change="more", effort=Effort.LOW, estimated_gain=0.01, base={"k": 1}, patch={"k": 2})
    return Hypothesis(
        id=hypotheses.UNNUMBERED, title=f"try {config}", claim="it helps", source="knobs",
        target_leaderboards=["MemoryBench"], implementation=change, priority_score=priority, config_hash=config,
    )  # fmt: skip


def add(sessions: Sessions, project: str, *configs: str) -> list[str]:
    with sessions.begin() as session:
        return [hypotheses.add(session=session, project=project, hypothesis=hypothesis(c))[0].id for c in configs]


def test_a_hypothesis_survives_and_is_asked_once(sessions: Sessions, project: str) -> None:
    with sessions.begin() as session:
        first, is_new = hypotheses.add(session=session, project=project, hypothesis=hypothesis("c1"))
        assert is_new and first == hypothesis("c1").model_copy(update={"id": "H-001"})
        again, is_new = hypotheses.add(session=session, project=project, hypothesis=hypothesis("c1", 9.0))
        assert (again, is_new) == (first, False)
        other, is_new = hypotheses.add(
            session=session, project=project, hypothesis=hypothesis("c1"), question="on the new data"
        )
        assert is_new and other.id == "H-002"
    with sessions.begin() as session:
        assert hypotheses.get(session=session, project=project, hypothesis_id="H-001") == first
        assert hypotheses.tried(session=session, project=project) == {"c1"}


def test_numbers_have_no_gaps_under_concurrency_and_rollbacks(sessions: Sessions, project: str) -> None:
    workers, each = 4, 12
    barrier = Barrier(workers)

    def work(worker: int) -> None:
        barrier.wait()
        for i in range(each):
            with sessions() as session:
                hypotheses.add(session=session, project=project, hypothesis=hypothesis(f"{worker}-{i}"))
                session.rollback() if i % 3 == 0 else session.commit()

    threads = [Thread(target=work, args=(worker,)) for worker in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with sessions.begin() as session:
        ids = sorted(h.id for h in hypotheses.listed(session=session, project=project))
    assert ids == [f"H-{number:03d}" for number in range(1, workers * each * 2 // 3 + 1)]


def test_the_queue_is_open_and_ordered(sessions: Sessions, project: str) -> None:
    with sessions.begin() as session:
        for config, priority in (("low", 1.0), ("high", 5.0), ("same", 5.0), ("done", 9.0)):
            hypotheses.add(session=session, project=project, hypothesis=hypothesis(config, priority))
        moved = hypotheses.set_status(
            session=session, project=project, hypothesis_id="H-004", status=HypothesisStatus.ARCHIVED, reason="worse"
        )
        assert moved
        assert not hypotheses.set_status(
            session=session, project=project, hypothesis_id="H-004", status=HypothesisStatus.QUEUED, reason="",
            only_from={HypothesisStatus.ACTIVE},
        )  # fmt: skip
        for known, is_open in (("H-001", True), ("H-004", False)):
            raised = hypothesis("any", 7.0).model_copy(update={"id": known, "urgency": Urgency.URGENT})
            assert hypotheses.set_priority(session=session, project=project, hypothesis=raised) is is_open
    with sessions.begin() as session:
        queue = hypotheses.queue(session=session, project=project)
        assert [h.id for h in queue] == ["H-001", "H-002", "H-003"]
        assert [h.id for h in hypotheses.queue(session=session, project=project, limit=1)] == ["H-001"]
        archived = hypotheses.get(session=session, project=project, hypothesis_id="H-004")
        assert archived is not None and archived.reason == "worse"
        assert hypotheses.tried(session=session, project=project) == {"low", "high", "same", "done"}
        counts = hypotheses.outcome_counts(session=session, project=project)
    assert counts == {"queued": 3, "archived": 1}


def test_claims_expire_and_a_late_worker_learns_it(sessions: Sessions, project: str) -> None:
    add(sessions, project, "c1")
    who = {"project": project, "lease_s": 60.0}
    with sessions.begin() as session:
        taken = hypotheses.claim(session=session, owner="one", now=NOW, **who)
        assert taken is not None and taken.status is HypothesisStatus.ACTIVE
        assert hypotheses.claim(session=session, owner="two", now=NOW + timedelta(seconds=59), **who) is None
        beat = {"session": session, "hypothesis_id": "H-001", **who}
        assert hypotheses.heartbeat(owner="one", now=NOW + timedelta(seconds=50), **beat)
        assert hypotheses.claim(session=session, owner="two", now=NOW + timedelta(seconds=70), **who) is None
        assert hypotheses.claim(session=session, owner="two", now=NOW + timedelta(seconds=111), **who) is not None
        assert not hypotheses.heartbeat(owner="one", now=NOW + timedelta(seconds=112), **beat)


def test_a_claim_may_be_repeated_by_its_owner(sessions: Sessions, project: str) -> None:
    add(sessions, project, "c1", "c2")
    with sessions.begin() as session:
        claimed = [
            hypotheses.claim(session=session, project=project, owner=owner, lease_s=60) for owner in ("a", "b", "a")
        ]
    assert [one.id for one in claimed if one is not None] == ["H-001", "H-002", "H-001"]


def test_two_workers_claim_each_hypothesis_once(sessions: Sessions, project: str) -> None:
    add(sessions, project, *(f"c{i}" for i in range(20)))
    taken: list[str] = []
    barrier = Barrier(4)

    def work(owner: str) -> None:
        barrier.wait()
        while True:
            with sessions.begin() as session:
                mine = hypotheses.claim(session=session, project=project, owner=owner, lease_s=60)
            if mine is None:
                return
            taken.append(mine.id)
            with sessions.begin() as session:
                done = {"hypothesis_id": mine.id, "status": HypothesisStatus.ARCHIVED, "reason": "no gain"}
                assert hypotheses.set_status(session=session, project=project, **done)

    threads = [Thread(target=work, args=(f"w{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [f"H-{number:03d}" for number in range(1, 21)]


def test_what_was_queued_by_other_rules_is_weighed_anew(sessions: Sessions, project: str) -> None:
    """A score is made by the queue's rules as they are now, not as they were when the hypothesis came."""
    with sessions.begin() as session:
        hypotheses.add(session=session, project=project, hypothesis=hypothesis("older", 700.0))
        [moved] = hypotheses.rank(session=session, project=project)
        assert moved.priority_score == priority_score(0.01, Effort.LOW, Urgency.NORMAL) == 10.0
        assert hypotheses.rank(session=session, project=project) == []
        assert hypotheses.queue(session=session, project=project) == [moved]
