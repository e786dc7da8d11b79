from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread

import pytest
from sqlalchemy.orm import Session, sessionmaker

from auto_benchmark.contract.record import ExperimentPlan
from auto_benchmark.contract.trial import BenchmarkRef
from auto_benchmark.db.repositories import (
    decisions,
    experiments,
    hypotheses,
    judged_claims,
    outbox,
    production,
    submissions,
)
from auto_benchmark.errors import RefusedError
from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus, Implementation
from auto_benchmark.promotion.aa import false_rate
from auto_benchmark.promotion.gate import Case
from auto_benchmark.promotion.level import EndedHypothesis
from auto_benchmark.promotion.production import ProductionCandidate, Role
from auto_benchmark.promotion.schema import Criterion, Decision, Evidence, Observation, Verdict
from auto_benchmark.registry.technique_catalog import Effort

Sessions = sessionmaker[Session]
NOW = datetime(2026, 3, 1, tzinfo=UTC)
BENCHMARK = BenchmarkRef(name="memory", version="1")


def candidate(k: int, **changes: object) -> ProductionCandidate:
    base = ProductionCandidate(
        "memory_retrieval", BENCHMARK, {"k": k}, {"MemoryBench": 0.8 + k / 100}, f"k={k} is better"
    )
    return replace(base, **changes)


def experiment(sessions: Sessions, project: str, key: str, kind: str = "hypothesis") -> int:
    with sessions.begin() as session:
        plan = ExperimentPlan(kind, key, "memory_retrieval", BENCHMARK, {"k": 2}, {"k": 1})
        return experiments.start(session=session, project=project, plan=plan).id


def decided(sessions: Sessions, project: str, experiment_id: int, look: int, verdict: Verdict, **more: object):  # type: ignore[no-untyped-def]
    seen = [Observation(seed=seed, metrics={"accuracy": 0.1 + 0.2 * seed}) for seed in (1, 2, 3)]
    evidence = Evidence(
        metric="accuracy", higher_is_better=True, promotion_threshold=0.005, candidate=seen, control=seen
    )
    row = Criterion(name="improvement", value=0.1 + 0.2, threshold=0.005, passed=True, reason="more than enough")
    decision = Decision(verdict=verdict, reason="0.1 + 0.2", n=3, estimate=1 / 3, interval=(0.1, 0.5), criteria=[row])
    with sessions.begin() as session:
        return decisions.record(
            session=session, project=project, experiment_id=experiment_id, look=look, case=Case(evidence=evidence),
            decision=decision, **more,
        )  # fmt: skip


def test_a_decision_is_recorded_once_and_replays_to_the_byte(sessions: Sessions, project: str) -> None:
    experiment_id = experiment(sessions, project, "H-001")
    first, made = decided(sessions, project, experiment_id, 1, Verdict.INCONCLUSIVE, trial_ids=[3, 4])
    again, made_again = decided(sessions, project, experiment_id, 1, Verdict.PROMOTE)
    assert made and not made_again and again == first
    second, _ = decided(sessions, project, experiment_id, 2, Verdict.PROMOTE, alpha_spent=0.01, alpha_wealth=0.04)
    with sessions.begin() as session:
        stored = decisions.get(session=session, project=project, decision_id=first.id)
        assert stored == first and stored.trial_ids == (3, 4)
        case = Case.model_validate_json(stored.evidence_json)
        decision = Decision.model_validate_json(stored.decision_json)
        assert case.model_dump_json() == stored.evidence_json
        assert decision.model_dump_json() == stored.decision_json
        text = f"{stored.evidence_json}\n{stored.decision_json}"
        assert hashlib.sha256(text.encode()).hexdigest() == stored.sha256
        assert decisions.of_experiment(session=session, experiment_id=experiment_id) == [first, second]
        assert decisions.latest(session=session, project=project, limit=1) == [second]
        assert decisions.alpha_wealth(session=session, project=project) == 0.04


def test_the_aa_rate_counts_experiments_not_looks(sessions: Sessions, project: str) -> None:
    with sessions.begin() as session:
        assert decisions.final_verdicts(session=session, project=project, kind="aa") == []
    for key, verdicts in {"1": (Verdict.INCONCLUSIVE, Verdict.PROMOTE), "2": (Verdict.FUTILE,)}.items():
        experiment_id = experiment(sessions, project, key, kind="aa")
        for look, verdict in enumerate(verdicts, 1):
            decided(sessions, project, experiment_id, look, verdict)
        with sessions.begin() as session:
            experiments.finish(session=session, experiment_id=experiment_id, outcome=str(verdicts[-1]), reason="")
    with sessions.begin() as session:
        found = decisions.final_verdicts(session=session, project=project, kind="aa")
    assert found == [Verdict.PROMOTE, Verdict.FUTILE] and false_rate(found).rate == 0.5


def test_what_was_decided_charges_its_source_and_weighs_what_waits(sessions: Sessions, project: str) -> None:
    change = Implementation(change="more", effort=Effort.LOW, estimated_gain=1.0)
    boast = Hypothesis(
        id=hypotheses.UNNUMBERED, title="it wins", claim="it wins", source="Ada", origin="agent:llm:LAB",
        target_leaderboards=["MemoryBench"], implementation=change, priority_score=1000.0, config_hash="c1",
    )  # fmt: skip
    modest = boast.model_copy(update={"origin": "person", "config_hash": "c2", "priority_score": 900.0})
    with sessions.begin() as session:
        tried, _ = hypotheses.add(session=session, project=project, hypothesis=boast)
        waits, _ = hypotheses.add(
            session=session, project=project, hypothesis=boast.model_copy(update={"config_hash": "c3"})
        )
        other, _ = hypotheses.add(session=session, project=project, hypothesis=modest)
    experiment_id = experiment(sessions, project, tried.id)
    decided(sessions, project, experiment_id, 1, Verdict.INCONCLUSIVE, alpha_spent=0.004)
    decided(sessions, project, experiment_id, 2, Verdict.FUTILE, alpha_spent=0.004)
    with sessions.begin() as session:
        assert decisions.ended(session=session, project=project) == []
        experiments.finish(session=session, experiment_id=experiment_id, outcome="futile", reason="")
        hypotheses.set_status(
            session=session,
            project=project,
            hypothesis_id=tried.id,
            status=HypothesisStatus.ARCHIVED,
            reason="futile",
        )
        assert decisions.ended(session=session, project=project) == [
            EndedHypothesis("agent:llm:LAB", Verdict.FUTILE, 0.004)
        ]
        moved = hypotheses.rank(session=session, project=project)
        assert hypotheses.rank(session=session, project=project) == []
        queue = hypotheses.queue(session=session, project=project)
    # a third of its claim was measured: worth (1/3 + 4 x (1/3 + 4) / 5) / 5 of an agent, (1/3 + 4) / 5 of the others
    assert {(h.id, h.worth) for h in moved} == {(waits.id, 0.76), (other.id, 0.8667)}
    assert [(h.id, h.priority_score) for h in queue] == [(other.id, 866.7), (waits.id, 760.0)]


@pytest.mark.parametrize(("base", "counts"), [({}, True), ({"k": 1}, True), ({"k": 3}, False)])
def test_a_claim_over_another_configuration_than_the_control_says_nothing_of_its_source(
    sessions: Sessions, project: str, base: dict[str, int], counts: bool
) -> None:
    change = Implementation(change="more", effort=Effort.LOW, estimated_gain=1.0, base=base)
    claim = Hypothesis(
        id=hypotheses.UNNUMBERED, title="it wins", claim="it wins", source="Ada", origin="person",
        target_leaderboards=["MemoryBench"], implementation=change, priority_score=1000.0, config_hash="c1",
    )  # fmt: skip
    with sessions.begin() as session:
        tried, _ = hypotheses.add(session=session, project=project, hypothesis=claim)
    experiment_id = experiment(sessions, project, tried.id)
    decided(sessions, project, experiment_id, 1, Verdict.FUTILE)
    with sessions.begin() as session:
        experiments.finish(session=session, experiment_id=experiment_id, outcome="futile", reason="")
        found = judged_claims.judged_claims(session=session, project=project)
    assert [(claim.claimed, claim.measured) for claim in found] == ([(1.0, 1 / 3)] if counts else [])


def test_one_holder_at_a_time_and_a_history(sessions: Sessions, project: str) -> None:
    experiment_id = experiment(sessions, project, "H-001")
    decision, _ = decided(sessions, project, experiment_id, 1, Verdict.PROMOTE)
    with sessions.begin() as session:
        assert production.current(session=session, project=project) is None
        first, _ = production.promote(session=session, project=project, candidate=candidate(1), now=NOW)
        challenger, _ = production.promote(
            session=session, project=project, candidate=candidate(5), role=Role.CHALLENGER
        )
        same, changed = production.promote(session=session, project=project, candidate=candidate(1, reason="again"))
        assert (same, changed) == (first, False)
        better = candidate(2, decision_id=decision.id, hypothesis_id="H-001")
        second, changed = production.promote(
            session=session, project=project, candidate=better, now=NOW + timedelta(days=1)
        )
        assert changed and second.candidate == better
        third, _ = production.promote(session=session, project=project, candidate=candidate(3))
        # The task that carried out the decision runs again, after another promotion: it must not undo that one.
        assert production.promote(session=session, project=project, candidate=better)[1] is False
        assert production.current(session=session, project=project) == third
        assert production.current(session=session, project=project, role=Role.CHALLENGER) is None
    with sessions.begin() as session:
        history = production.history(session=session, project=project)
        ended = production.history(session=session, project=project, role=Role.CHALLENGER)
    assert [h.id for h in history] == [third.id, second.id, first.id]
    assert history[-1].closed_at == NOW + timedelta(days=1)
    assert history[-1].closed_reason == "replaced: k=2 is better"
    assert [e.id for e in ended] == [challenger.id] and ended[0].closed_at is not None


def test_rollback_goes_back_and_further_back(sessions: Sessions, project: str) -> None:
    with sessions.begin() as session:
        with pytest.raises(RefusedError, match="nothing in production"):
            production.rollback(session=session, project=project, reason="?")
        for k in (1, 2, 3):
            production.promote(session=session, project=project, candidate=candidate(k))
        back = production.rollback(session=session, project=project, reason="regression")
        assert back.candidate.params == {"k": 2}
        further = production.rollback(session=session, project=project, reason="still")
        assert further.candidate.params == {"k": 1}
        with pytest.raises(RefusedError, match="no earlier"):
            production.rollback(session=session, project=project, reason="still")
        assert production.current(session=session, project=project) == further
        on, _ = production.promote(session=session, project=project, candidate=candidate(4))
        assert production.rollback(session=session, project=project, reason="no").candidate.params == {"k": 1}
        assert on.restores is None


def test_promotions_at_once_leave_one_holder(sessions: Sessions, project: str) -> None:
    barrier = Barrier(4)

    def work(k: int) -> None:
        barrier.wait()
        with sessions.begin() as session:
            production.promote(session=session, project=project, candidate=candidate(k))

    threads = [Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with sessions.begin() as session:
        history = production.history(session=session, project=project)
    assert [h.closed_at is None for h in history] == [True, False, False, False]


def test_promotion_and_submission_are_one_transaction(sessions: Sessions, project: str) -> None:
    def promote_and_submit(session: Session) -> bool:
        holder, _ = production.promote(session=session, project=project, candidate=candidate(1))
        _, is_new = submissions.enqueue(
            session=session, project=project, board="MemoryBench", production_config_id=holder.id, payload={"k": 1}
        )
        return is_new

    with sessions() as killed:
        assert promote_and_submit(killed)
        killed.rollback()
    with sessions.begin() as session:
        assert outbox.pending(session=session, project=project) == {}
        assert promote_and_submit(session)
    with sessions.begin() as session:
        assert not promote_and_submit(session)
        assert outbox.pending(session=session, project=project) == {"submission": 1}
        (message,) = outbox.claim(session=session, owner="w", lease_s=60, project=project, topic="submission")
        (submission,) = submissions.listed(session=session, project=project, board="MemoryBench")
        assert message.payload == {"k": 1, "board": "MemoryBench", "submission_id": submission.id}
        assert message.idempotency_key == submission.idempotency_key
        submissions.set_state(session=session, submission_id=submission.id, state="accepted", score=0.87)
        submissions.set_state(session=session, submission_id=submission.id, state="refused")
        (refused,) = submissions.listed(session=session, project=project)
        assert (refused.state, refused.score) == ("refused", 0.87)


def test_a_message_is_sent_once_however_often_senders_die(sessions: Sessions, project: str) -> None:
    send = {"project": project, "topic": "slack"}
    with sessions.begin() as session:
        assert outbox.enqueue(session=session, idempotency_key="k", payload={"text": "hello"}, now=NOW, **send)
        assert not outbox.enqueue(session=session, idempotency_key="k", payload={"text": "other"}, now=NOW, **send)
        (first,) = outbox.claim(session=session, owner="killed", lease_s=60, now=NOW, **send)
        assert (first.payload, first.attempts) == ({"text": "hello"}, 1)
        assert outbox.claim(session=session, owner="other", lease_s=60, now=NOW + timedelta(seconds=59), **send) == []
        (again,) = outbox.claim(session=session, owner="other", lease_s=60, now=NOW + timedelta(seconds=61), **send)
        assert (again.id, again.idempotency_key, again.attempts) == (first.id, "k", 2)
        assert not outbox.mark_sent(session=session, message_id=first.id, owner="killed")
        assert outbox.mark_sent(session=session, message_id=first.id, owner="other", response={"ok": True})
        assert not outbox.mark_failed(session=session, message_id=first.id, owner="other", error="late")
        assert outbox.claim(session=session, owner="w", lease_s=60, now=NOW + timedelta(days=1), **send) == []


def test_failed_messages_wait_longer_each_time_and_then_stop(sessions: Sessions, project: str) -> None:
    now = NOW
    with sessions.begin() as session:
        outbox.enqueue(session=session, project=project, topic="t", idempotency_key="k", payload={}, now=now)
        delays = []
        for attempt in range(outbox.MOST_ATTEMPTS):
            (message,) = outbox.claim(session=session, owner="w", lease_s=60, project=project, now=now)
            again = outbox.mark_failed(session=session, message_id=message.id, owner="w", error="down", now=now)
            assert again is (attempt < outbox.MOST_ATTEMPTS - 1)
            delay = min(outbox.FIRST_DELAY_S * 2**attempt, outbox.LONGEST_DELAY_S)
            early = now + timedelta(seconds=delay - 0.1)
            assert outbox.claim(session=session, owner="w", lease_s=60, project=project, now=early) == []
            delays.append(delay)
            now += timedelta(seconds=delay)
        assert delays[:3] == [5, 10, 20] and delays[-1] == 3600
        assert outbox.claim(session=session, owner="w", lease_s=60, project=project, now=now) == []
        assert outbox.pending(session=session, project=project) == {}
        for key, how in {"final": {"final": True}, "asked": {"retry_after_s": 7.0}}.items():
            outbox.enqueue(session=session, project=project, topic="t", idempotency_key=key, payload={}, now=now)
            (message,) = outbox.claim(session=session, owner="w", lease_s=60, project=project, now=now)
            again = outbox.mark_failed(session=session, message_id=message.id, owner="w", error="", now=now, **how)
            assert again is (key == "asked")
        later = now + timedelta(seconds=7)
        (message,) = outbox.claim(session=session, owner="w", lease_s=60, project=project, now=later)
    assert message.idempotency_key == "asked"
