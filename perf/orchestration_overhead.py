"""What the sweep adds to Airflow: 100 smallest trials through the compiled sweep against 100 bare mapped tasks.

``PYTHONPATH=include:plugins:. .venv/bin/python perf/orchestration_overhead.py [--tasks 100]``

Both run on one stack, in turn. A trial here is a process that trains nothing to speak of; its own seconds are told
apart, because a real one lasts minutes. One JSON document on stdout.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

from sqlalchemy import func, select
from tests.toy_project import ToyFiles

from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.models import Trial
from auto_benchmark.stack.launcher import Launcher


def seconds(api, dag_id: str) -> float:
    run_id = api.trigger(dag_id)
    while (run := api.run(dag_id, run_id))["state"] not in {"success", "failed"}:
        time.sleep(1)
    if run["state"] == "failed":
        failed = [t for t in api.task_instances(dag_id, run_id) if t["state"] == "failed"]
        one = failed[0]
        place = f"/dags/{dag_id}/dagRuns/{run_id}/taskInstances/{one['task_id']}/logs/{one['try_number']}"
        log = api.call("GET", place, map_index=one["map_index"])["content"]
        raise SystemExit(f"{dag_id}: {len(failed)} tasks failed, {one['task_id']}: {str(log)[-1500:]}")
    begin, end = (datetime.fromisoformat(run[k].replace("Z", "+00:00")) for k in ("start_date", "end_date"))
    return (end - begin).total_seconds()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=100)
    tasks = parser.parse_args().tasks
    home = Path(tempfile.mkdtemp(prefix="auto-benchmark-overhead-"))
    home.chmod(0o755)
    os.environ["AUTO_BENCHMARK_PERF_TASKS"] = str(tasks)
    launcher = Launcher(
        ToyFiles(home).settings(),
        lambda text: print(text, file=sys.stderr, flush=True),
        more_dags=Path(__file__).parent / "overhead_dags",
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the stack is stopped then, too
    try:
        launcher.up(unpause=False)
        time.sleep(45)  # MLflow's start takes a core for half a minute
        sessions = session_factory(engine(launcher.environment()["AUTO_BENCHMARK_DB_URL"]))
        with launcher.airflow() as api:
            for dag_id in ("overhead_bare", "overhead_sweep"):
                api.unpause(dag_id)
            bare = [seconds(api, "overhead_bare")]
            sweep = seconds(api, "overhead_sweep")
            bare.append(seconds(api, "overhead_bare"))
        with sessions() as session:
            done, inside = session.execute(
                select(func.count(), func.sum(Trial.wall_s)).where(Trial.state == "done")
            ).one()
        slots = launcher.settings.parallel_trials
        mean_bare = sum(bare) / 2
        result = {
            "tasks": tasks, "done": done, "bare_s": bare, "sweep_s": sweep, "ratio": sweep / mean_bare,
            "seconds_inside_trials": inside, "ratio_without_trials": (sweep - inside / slots) / mean_bare,
            "slots": slots, "load_1min": os.getloadavg()[0],
        }  # fmt: skip
        print(json.dumps(result))
    finally:
        launcher.down()
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
