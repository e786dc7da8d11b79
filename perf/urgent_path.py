"""From the commit of a rank drop to the first urgent training process, hop by hop, in a real Airflow.

``python perf/urgent_path.py [--repetitions 10]``. The same commits wake the usual way as well: a sensor that pokes
every 60 s and a DAG that it triggers. The commits are spread evenly over that minute, and the usual way's time ends
earlier, at the start of an empty task. One JSON document on stdout.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import shutil
import signal
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import psutil
from sqlalchemy import delete

from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.models import Trial
from auto_benchmark.db.repositories import snapshots
from auto_benchmark.leaderboards.compare import compare
from auto_benchmark.leaderboards.snapshot import BoardReading
from auto_benchmark.project.context import make_context
from auto_benchmark.project.reconcile import reconcile
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import NamedConnections
from auto_benchmark.stack.launcher import Launcher
from auto_benchmark.stack.services import Service
from auto_benchmark.tables.entry import Entry

URGENT = "experiment_sweep_urgent"
BOARD = "MemoryBench"
HOPS = (
    "commit -> trigger's event stored",
    "event -> DAG run queued",
    "run queued -> claim_and_plan starts",
    "claim_and_plan runs",
    "claim_and_plan ends -> run_trial starts",
    "run_trial starts -> training process",
)


def moment(text: str) -> float:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Rivals:
    """Lets one more competitor pass us per call."""

    def __init__(self, ctx) -> None:
        self.ctx, self.passed = ctx, 0

    def pass_us(self) -> float:
        """Commit a rank drop; the moment after the commit."""
        self.passed += 1
        old, new = (self._read(n) for n in (self.passed - 1, self.passed))
        delta = compare(old.entries, new.entries, board=BOARD, higher_is_better=True, ours=self.ctx.ours)
        with self.ctx.sessions.begin() as session:
            snapshots.record_changes(session=session, project=self.ctx.project, new=new, old=old, delta=delta)
        return time.time()

    def _read(self, rivals: int):
        rows = [(f"Rival{i}", 0.9 - 0.001 * i) for i in range(rivals)] + [(self.ctx.ours[0], 0.5)]
        entries = [Entry(rank=i + 1, system=name, score=score) for i, (name, score) in enumerate(rows)]
        reading = BoardReading(datetime.now(UTC), f"{rivals}", entries)
        with self.ctx.sessions.begin() as session:
            made, _ = snapshots.record(
                session=session, project=self.ctx.project, board=BOARD, reading=reading, ours=self.ctx.ours
            )
            return snapshots.get(session=session, snapshot_id=made.id)


def training_started(scheduler: psutil.Process, after: float, limit: float = 120) -> float:
    """When the first trial process below this scheduler was created."""
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        for process in scheduler.children(recursive=True):
            try:
                if process.create_time() > after and any(p.endswith("entrypoint.py") for p in process.cmdline()):
                    return process.create_time()
            except psutil.Error:
                continue
        time.sleep(0.05)
    raise SystemExit("no training process appeared")


def one(api, ctx, rivals: Rivals, scheduler: psutil.Process) -> tuple[list[float], float]:
    """Hops of one repetition and the moment of its commit; the run is ended as soon as the training runs."""
    known = {run["dag_run_id"] for run in api.runs(URGENT)}
    committed = rivals.pass_us()
    trained = training_started(scheduler, committed - 0.02)
    run = next(run for run in api.runs(URGENT) if run["dag_run_id"] not in known)
    tasks = {(t["task_id"], t["map_index"]): t for t in api.task_instances(URGENT, run["dag_run_id"])}
    plan = tasks["claim_and_plan", -1]
    trials = [t for (name, _), t in tasks.items() if name == "run_trial" and t["start_date"]]
    first = min(trials, key=lambda t: t["start_date"])
    triggered = api.call("GET", f"/dags/{URGENT}/dagRuns/{run['dag_run_id']}/upstreamAssetEvents")["asset_events"]
    stored = min(moment(event["timestamp"]) for event in triggered)
    at = [committed, stored, moment(run["queued_at"]), moment(plan["start_date"]), moment(plan["end_date"])]
    at += [moment(first["start_date"]), trained]
    api.call("PATCH", f"/dags/{URGENT}/dagRuns/{run['dag_run_id']}", json={"state": "failed"})
    while any(
        t["state"] in {"running", "queued", "scheduled"} for t in api.task_instances(URGENT, run["dag_run_id"])
    ):
        time.sleep(0.5)
    time.sleep(6)  # tasks notice at their next heartbeat that their run has ended
    with ctx.sessions.begin() as session:
        session.execute(delete(Trial).where(Trial.state.in_(["planned", "running"])))
    return [b - a for a, b in itertools.pairwise(at)], committed


def arm_classic(api) -> set[str]:
    """Start the classic sensor and wait for its first look; the runs of the classic response so far."""
    known = {run["dag_run_id"] for run in api.runs("classic_response")}
    run_id = api.trigger("classic_watch")
    while not any(t["state"] == "up_for_reschedule" for t in api.task_instances("classic_watch", run_id)):
        time.sleep(0.25)
    return known


def classic_seconds(api, known: set[str], committed: float) -> float:
    """Seconds from the commit to the start of the triggered DAG's first task."""
    while True:
        for run in api.runs("classic_response"):
            if run["dag_run_id"] not in known:
                started = [t["start_date"] for t in api.task_instances("classic_response", run["dag_run_id"])]
                if started and started[0]:
                    return moment(started[0]) - committed
        time.sleep(0.25)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=10)
    arguments = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="auto-benchmark-urgent-"))
    home.chmod(0o755)
    settings = Settings(home=home)
    say = lambda text: print(text, file=sys.stderr, flush=True)  # noqa: E731
    launcher = Launcher(settings, say, more_dags=Path(__file__).parent / "dags")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the stack is stopped then, too
    try:
        launcher.up(unpause=False)
        bind = engine(launcher.environment()["AUTO_BENCHMARK_DB_URL"])
        ctx = make_context(settings, session_factory(bind), NamedConnections({}))
        reconcile(ctx)
        time.sleep(45)  # MLflow's start takes a core for half a minute
        with launcher.airflow() as api:
            rivals, scheduler = Rivals(ctx), launcher.processes.running(Service.SCHEDULER)
            for dag_id in (URGENT, "classic_watch", "classic_response"):
                api.unpause(dag_id)
            time.sleep(15)
            hops, usual = [], []
            for i in range(arguments.repetitions):
                known = arm_classic(api)
                time.sleep(60 * (i + 0.5) / arguments.repetitions)
                found, committed = one(api, ctx, rivals, scheduler)
                hops.append(found)
                usual.append(classic_seconds(api, known, committed))
                say(f"{i + 1}: urgent {sum(found):.2f} s {[round(h, 2) for h in found]}, classic {usual[-1]:.2f} s")
        totals = [sum(h) for h in hops]
        result = {
            "urgent_s": {"median": statistics.median(totals), "all": totals},
            "hops_median_s": {name: statistics.median(h[i] for h in hops) for i, name in enumerate(HOPS)},
            "classic_s": {"median": statistics.median(usual), "all": usual},
            "load_1min": os.getloadavg()[0],
            "cpus": os.cpu_count(),
            "python": platform.python_version(),
        }
        print(json.dumps(result, default=lambda x: round(x, 3)))
    finally:
        launcher.down()
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
