from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import StatementError
from sqlalchemy.orm import Session, sessionmaker

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.record import ExperimentPlan, TrialPlan, TrialResult
from auto_benchmark.contract.scoring import Scores
from auto_benchmark.contract.trial import BenchmarkRef, Stage, TrialState
from auto_benchmark.db.repositories import experiments, observations, split_queries, trials
from auto_benchmark.kinds import Outcome

Sessions = sessionmaker[Session]
NOW = datetime(2026, 3, 1, tzinfo=UTC)
BENCHMARK = BenchmarkRef(name="memory", version="1")


def a_plan(seed: int = 1, **changes: object) -> TrialPlan:
    base = TrialPlan("memory_retrieval", {"k": 2}, BENCHMARK, Stage.FULL, seed, "candidate")
    return replace(base, **changes)


def planned(sessions: Sessions, project: str, *plans: TrialPlan) -> list[int]:
    with sessions.begin() as session:
        return [trial.id for trial in trials.plan(session=session, project=project, plans=plans)]


def result(accuracy: float, **changes: object) -> TrialResult:
    scores = Scores(metrics={"accuracy": accuracy, "latency_ms": 2.0}, items={"accuracy": {"q1": 1.0, "q2": 0.0}},
                    slices={"multi_hop": {"accuracy": 0.5}})  # fmt: skip
    return replace(TrialResult(scores, artifact_uri="results/1", fingerprint={"cpu": "x"}, wall_s=1.5), **changes)


def run(sessions: Sessions, project: str, plan: TrialPlan, accuracy: float, **changes: object) -> int:
    (trial_id,) = planned(sessions, project, plan)
    with sessions.begin() as session:
        trials.claim(session=session, project=project, owner=f"run-{trial_id}", lease_s=60, trial_ids=[trial_id])
        assert trials.finish(
            session=session, trial_id=trial_id, owner=f"run-{trial_id}", result=result(accuracy, **changes)
        )
    return trial_id


def test_planning_twice_plans_once(sessions: Sessions, project: str) -> None:
    with sessions.begin() as session:
        plan = ExperimentPlan("hypothesis", "H-001", "memory_retrieval", BENCHMARK, {"k": 2}, {"k": 1}, "H-001")
        experiment = experiments.start(session=session, project=project, plan=plan)
        assert experiments.start(session=session, project=project, plan=replace(plan, params={"k": 9})) == experiment
    wanted = [a_plan(seed, experiment_id=experiment.id) for seed in (3, 1, 2)]
    first = planned(sessions, project, *wanted)
    assert planned(sessions, project, *reversed(wanted)) == list(reversed(first))
    others = planned(
        sessions, project, a_plan(1, purpose="control"), a_plan(1, subset=0.1), a_plan(1, params={"k": 3})
    )
    assert len({*first, *others}) == 6
    with sessions.begin() as session:
        assert [t.plan for t in trials.of_experiment(session=session, experiment_id=experiment.id)] == wanted
        assert experiments.finish(
            session=session, experiment_id=experiment.id, outcome=Outcome.PROMOTE, reason="better"
        )
        assert not experiments.finish(session=session, experiment_id=experiment.id, outcome=Outcome.REJECT, reason="")
        assert experiments.running(session=session, project=project) == []
        done = experiments.get(session=session, project=project, experiment_id=experiment.id)
    assert done is not None and (done.plan, done.outcome) == (plan, Outcome.PROMOTE)


def test_a_trial_is_held_while_its_lease_lasts(sessions: Sessions, project: str) -> None:
    first, second = planned(sessions, project, a_plan(1), a_plan(2))
    with sessions.begin() as session:
        who = {"session": session, "project": project}
        trials.claim(**who, owner="a", lease_s=60, trial_ids=[first], now=NOW)
        assert trials.held(**who, now=NOW) == {first}
        assert trials.held(**who, now=NOW + timedelta(seconds=61)) == set()
        assert trials.finish(session=session, trial_id=first, owner="a", result=result(0.5))
        assert trials.held(**who, now=NOW) == set() and trials.unfinished(**who) == {second}


def test_a_result_is_recorded_exactly_once(sessions: Sessions, project: str) -> None:
    (trial_id,) = planned(sessions, project, a_plan())
    who = {"project": project, "lease_s": 60.0}
    with sessions.begin() as session:
        (first,) = trials.claim(session=session, owner="slow", now=NOW, **who)
        assert (first.id, first.attempts, first.state) == (trial_id, 1, TrialState.RUNNING)
        assert first.config.model_dump()["seed"] == 1
        assert trials.claim(session=session, owner="fast", now=NOW + timedelta(seconds=59), **who) == []
        (second,) = trials.claim(session=session, owner="fast", now=NOW + timedelta(seconds=61), **who)
        assert (second.id, second.attempts) == (trial_id, 2)
    with sessions.begin() as session:
        assert not trials.finish(session=session, trial_id=trial_id, owner="slow", result=result(0.1))
        assert trials.heartbeat(session=session, trial_ids=[trial_id], owner="slow", lease_s=60) == set()
        assert trials.finish(session=session, trial_id=trial_id, owner="fast", result=result(0.9))
    with sessions.begin() as session:
        assert not trials.finish(session=session, trial_id=trial_id, owner="fast", result=result(0.2))
        assert trials.fail(
            session=session, trial_id=trial_id, owner="fast", failure=FailureClass.CRASH, message=""
        ) is None  # fmt: skip
        assert trials.cancel(session=session, trial_ids=[trial_id], reason="") == set()
        assert observations.metrics_of(session=session, trial_ids=[trial_id]) == {
            trial_id: {"accuracy": 0.9, "latency_ms": 2.0}
        }
        assert split_queries.by_split(session=session, project=project) == {"memory@1/gate": {"candidate": 1}}
        assert trials.counts(session=session, project=project) == {TrialState.DONE: 1}


@pytest.mark.parametrize(
    ("failure", "tries"),
    [("killed", 3), ("crash", 2), ("oom_host", 2), ("timeout", 1), ("bad_output", 1), ("environment_error", 1)],
)
def test_failures_are_retried_by_their_class(sessions: Sessions, project: str, failure: str, tries: int) -> None:
    (trial_id,) = planned(sessions, project, a_plan())
    for attempt in range(1, tries + 1):
        with sessions.begin() as session:
            (trial,) = trials.claim(session=session, project=project, owner=f"a{attempt}", lease_s=60)
            assert [one.value for one in trial.failures] == [failure] * (attempt - 1)
            state = trials.fail(
                session=session, trial_id=trial_id, owner=f"a{attempt}", failure=FailureClass(failure), message="boom"
            )
        assert state is (TrialState.FAILED if attempt == tries else TrialState.PLANNED)
    with sessions.begin() as session:
        assert trials.claim(session=session, project=project, owner="late", lease_s=60) == []
        failed = trials.get(session=session, project=project, trial_id=trial_id)
    assert failed is not None and (failed.failure_class, failed.message) == (FailureClass(failure), "boom")


def test_a_trial_that_keeps_losing_its_worker_is_given_up(sessions: Sessions, project: str) -> None:
    (trial_id,) = planned(sessions, project, a_plan())
    for attempt in range(trials.MOST_ATTEMPTS + 1):
        with sessions.begin() as session:
            now = NOW + timedelta(hours=attempt)
            taken = trials.claim(session=session, project=project, owner=f"a{attempt}", lease_s=60, now=now)
        assert len(taken) == (attempt < trials.MOST_ATTEMPTS)
    with sessions.begin() as session:
        lost = trials.get(session=session, project=project, trial_id=trial_id)
    assert lost is not None and (lost.state, lost.failure_class) == (TrialState.FAILED, FailureClass.KILLED)


def test_cancelling_takes_the_lease_away(sessions: Sessions, project: str) -> None:
    ids = planned(sessions, project, a_plan(1), a_plan(2))
    with sessions.begin() as session:
        trials.claim(session=session, project=project, owner="w", lease_s=60)
        assert trials.cancel(session=session, trial_ids=ids, reason="superseded") == set(ids)
        assert not trials.finish(session=session, trial_id=ids[0], owner="w", result=result(0.9))
        assert trials.claim(session=session, project=project, owner="w", lease_s=60) == []


def test_urgent_and_important_trials_first(sessions: Sessions, project: str) -> None:
    low, high, urgent = planned(
        sessions, project, a_plan(1), a_plan(2, priority=5.0), a_plan(3, queue="urgent", priority=9.0)
    )
    with sessions.begin() as session:
        taken = trials.claim(session=session, project=project, owner="w", lease_s=60, limit=5, queue="normal")
        assert [t.id for t in taken] == [high, low]
        taken = trials.claim(session=session, project=project, owner="w", lease_s=60, limit=5)
    assert [t.id for t in taken] == [urgent]


def test_observations_are_one_per_seed_and_of_the_purposes_asked_for(sessions: Sessions, project: str) -> None:
    plan = a_plan(1)
    one = run(sessions, project, plan, 0.8)
    two = run(sessions, project, a_plan(2), 0.82)
    run(sessions, project, a_plan(1, purpose="estimate"), 0.7)
    run(sessions, project, a_plan(3, stage=Stage.FAST), 0.1)
    planned(sessions, project, a_plan(4))
    find = {"project": project, "config_hash": plan.config_hash, "stage": Stage.FULL}
    with sessions.begin() as session:
        found = observations.of_config(session=session, items_of="accuracy", **find)
        assert [(f.trial_id, f.observation.seed, f.observation.metrics["accuracy"]) for f in found] == [
            (one, 1, 0.8),
            (two, 2, 0.82),
        ]
        assert found[0].observation.items == {"q1": 1.0, "q2": 0.0}
        fresh = observations.of_config(session=session, purposes=["estimate"], **find)
        assert [f.observation.metrics["accuracy"] for f in fresh] == [0.7]
        assert fresh[0].observation.items is None


def test_noise_is_pooled_within_configurations_and_places(sessions: Sessions, project: str) -> None:
    here = {1: [0.80, 0.82, 0.84], 2: [0.70, 0.71], 3: [0.5]}
    for k, values in here.items():
        for seed, value in enumerate(values):
            run(sessions, project, a_plan(seed, params={"k": k}), value)
    for seed, value in enumerate([0.1, 0.9]):
        run(sessions, project, a_plan(seed, params={"k": 4}), value, fingerprint={"cpu": "another"})
    find = {
        "project": project, "solution": "memory_retrieval", "benchmark": "memory", "version": "1",
        "metric": "accuracy",
    }  # fmt: skip
    squares = [statistics.variance(values) * (len(values) - 1) for values in here.values() if len(values) > 1]
    with sessions.begin() as session:
        fingerprint = trials.fingerprint_hash({"cpu": "x"})
        noise = observations.pooled_noise(session=session, fingerprint_hashes=fingerprint and [fingerprint], **find)
        assert noise is not None and noise.df == 3
        assert noise.sd == pytest.approx((sum(squares) / 3) ** 0.5, rel=1e-12)
        everywhere = observations.pooled_noise(session=session, **find)
        assert everywhere is not None and everywhere.df == 4
        assert observations.pooled_noise(session=session, **{**find, "version": "2"}) is None


WORKER = """
import os, sys
from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.repositories import trials
from auto_benchmark.contract.record import TrialResult
from auto_benchmark.contract.scoring import Scores
url, project, die = sys.argv[1:]
sessions = session_factory(engine(url))
owner, done = f"worker-{os.getpid()}", 0
lease_s = 0.7 if die == "die" else 600  # nobody takes over what a slow worker is at
while True:
    with sessions.begin() as session:
        mine = trials.claim(session=session, project=project, owner=owner, lease_s=lease_s, limit=1)
        waiting = trials.counts(session=session, project=project)
    if not mine and not {"planned", "running"} & {state.value for state in waiting}:
        break
    for trial in mine:
        if die == "die" and done == 3:
            print("holding", trial.id, flush=True)
            sys.stdin.read()
        with sessions.begin() as session:
            scores = Scores(metrics={"accuracy": 0.5})
            if trials.finish(session=session, trial_id=trial.id, owner=owner, result=TrialResult(scores)):
                done += 1
                print("finished", trial.id, flush=True)
"""


def test_two_processes_and_a_killed_one_finish_every_trial_once(
    sessions: Sessions, project: str, database_url: str
) -> None:
    ids = planned(sessions, project, *(a_plan(seed) for seed in range(30)))

    def start(mode: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", WORKER, database_url, project, mode]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    doomed = start("die")
    assert doomed.stdout is not None
    lines = [doomed.stdout.readline() for _ in range(4)]
    os.kill(doomed.pid, signal.SIGKILL)
    doomed.wait()
    held = int(lines[3].removeprefix("holding "))
    finished = [int(line.split()[1]) for line in lines[:3]]
    for worker in [start("live"), start("live")]:
        output, _ = worker.communicate(timeout=120)
        finished += [int(line.split()[1]) for line in output.splitlines()]
    assert sorted(finished) == sorted(ids)
    with sessions.begin() as session:
        assert trials.counts(session=session, project=project) == {TrialState.DONE: 30}
        recovered = trials.get(session=session, project=project, trial_id=held)
        assert recovered is not None and recovered.attempts == 2
        assert split_queries.by_split(session=session, project=project) == {"memory@1/gate": {"candidate": 30}}


def test_a_configuration_keeps_its_identity_in_the_database(sessions: Sessions, project: str) -> None:
    params = {"z": -0.0, "large": 1e16, "small": 1e-7, "whole": 2.0, "text": "µ\\u0000", "flag": True, "a": 0.1 + 0.2}
    plan = a_plan(params=params)
    (trial_id,) = planned(sessions, project, plan)
    with sessions.begin() as session:
        stored = trials.get(session=session, project=project, trial_id=trial_id)
    assert stored is not None
    assert repr(stored.plan.params) == repr(params)
    assert stored.plan.config_hash == plan.config_hash


def test_nothing_that_is_not_a_number_is_stored(sessions: Sessions, project: str) -> None:
    (trial_id,) = planned(sessions, project, a_plan())
    with pytest.raises((StatementError, ValueError), match="JSON compliant"), sessions.begin() as session:
        trials.claim(session=session, project=project, owner="w", lease_s=60)
        broken = result(0.9, fingerprint={"ghz": float("nan")})
        trials.finish(session=session, trial_id=trial_id, owner="w", result=broken)


def failed(sessions: Sessions, project: str, plan: TrialPlan, *failures: FailureClass, **changes: object) -> None:
    """A trial that has failed for good, each time it was tried."""
    (trial_id,) = planned(sessions, project, plan)
    for failure in failures:
        with sessions.begin() as session:
            trials.claim(session=session, project=project, owner="run", lease_s=60, trial_ids=[trial_id])
            last = failure is failures[-1]
            trials.fail(
                session=session, trial_id=trial_id, owner="run", failure=failure, message="m", final=last, **changes
            )


def test_seeds_that_failed_are_counted_those_that_ended_in_a_further_attempt_too(
    sessions: Sessions, project: str
) -> None:
    plan, f = a_plan(1), FailureClass
    counted = {"project": project, "config_hash": plan.config_hash, "stage": Stage.FULL, "purposes": ["candidate"]}

    def told(**more: object) -> tuple[int, int]:
        with sessions() as session:
            found = observations.failures_of(session=session, **counted, **more)
        return found.seeds, found.failed

    run(sessions, project, a_plan(1), 0.5)
    failed(sessions, project, a_plan(2), f.ENVIRONMENT_ERROR)
    assert told() == (1, 0), "where nothing can run, nothing is known"
    failed(sessions, project, a_plan(3), f.CRASH, fingerprint={"cpu": "x"})
    run(sessions, project, a_plan(4), 0.5, failures=(f.CRASH,))
    assert told() == (3, 2)
    run(sessions, project, a_plan(5), 0.5, failures=(f.KILLED,))
    assert told() == (4, 2), "one killed seed is forgiven"
    run(sessions, project, a_plan(6), 0.5, failures=(f.KILLED,))
    assert told() == (5, 4)
    failed(sessions, project, a_plan(7), f.KILLED)
    run(sessions, project, a_plan(8, purpose="control"), 0.5, failures=(f.CRASH,))
    assert told() == (6, 5)
    with sessions() as session:
        query = text("SELECT fingerprint_hash FROM auto_benchmark.trials WHERE seed = 3 AND project = :project")
        here = session.execute(query, {"project": project}).scalar_one()
    assert told(fingerprint_hash=here) == (6, 5), "of the last one it is not known where it ran"
    assert told(fingerprint_hash="elsewhere") == (1, 1)
