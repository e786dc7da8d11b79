"""How fast the page's API answers with 1,000 boards and 1,000,000 entries: p50 and p95 of every route, in ms.

Beside the boards: 30 cycles of each board's standing in the decision log, 20,000 trials and 2,000 papers.

PYTHONPATH=include:plugins:. .venv/bin/python perf/web_api.py [--boards 1000] [--entries 1000] [--calls 40]
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.testclient import TestClient
from sqlalchemy import text
from tests import web_world

from auto_benchmark.db.embedded import FAST_AND_UNSAFE, EmbeddedPostgres
from auto_benchmark.db.migrate import upgrade
from auto_benchmark_airflow.web.access import Access
from auto_benchmark_airflow.web.app import create_app
from auto_benchmark_airflow.web.world import World

LIMIT_MS = 100.0
BOARDS = """
INSERT INTO auto_benchmark.leaderboards (project, name, metric, higher_is_better, position, active, spec)
SELECT 'default', 'Board ' || n, 'accuracy', true, n + 10, true,
  json_build_object('name', 'Board ' || n, 'scrape_method', 'manual', 'primary_metric', 'accuracy',
                    'higher_is_better', true)
FROM generate_series(1, :boards) n"""
SNAPSHOTS = """
INSERT INTO auto_benchmark.leaderboard_snapshots (project, leaderboard_id, fetched_at, last_seen_at, content_hash,
  status, reason, warnings, n_entries, our_rank, our_score, leader, leader_score, runner_up_score, alerts)
SELECT 'default', b.id, now() - d * interval '1 day', now() - d * interval '1 day', 'h' || d, 'ok', '', '[]',
  :entries, 5 + d % 3, 0.5, 'System 1', 0.9, 0.8, '[]'
FROM auto_benchmark.leaderboards b, generate_series(0, 9) d WHERE b.name LIKE 'Board %'"""
ENTRIES = """
INSERT INTO auto_benchmark.leaderboard_entries (snapshot_id, position, project, rank, system, score)
SELECT s.id, n, 'default', n + 1, 'System ' || ((n * 7 + s.id) % :entries), 1.0 - n / (:entries + 1.0)
FROM auto_benchmark.leaderboard_snapshots s, generate_series(0, :entries - 1) n WHERE s.content_hash = 'h0'"""
STANDINGS = """
INSERT INTO auto_benchmark.decision_log (project, key, kind, subject, reason, inputs, created_at)
SELECT 'default', 'standing/' || b.id || '/' || d, 'standing', b.name, 'seen',
  json_build_object('our_rank', 5, 'our_score', 0.5, 'leader', 'System 1', 'leader_score', 0.9, 'runner_up_score', 0.8),
  now() - d * interval '1 day'
FROM auto_benchmark.leaderboards b, generate_series(0, 29) d WHERE b.name LIKE 'Board %'"""
TRIALS = """
INSERT INTO auto_benchmark.trials (project, solution, params, config_hash, benchmark, benchmark_version, stage, split,
  subset, seed, purpose, budget_s, queue, priority, state, failures, wall_s, cost, started_at, finished_at)
SELECT 'default', 'toy', '{}', 'c' || n / 10, 'toy', '1', 'full', 'search', 1.0, 100000 + n, 'search', 60, 'normal', 0,
  'done', '[]', 4.0, 0.01, now() - n * interval '1 minute', now() - n * interval '1 minute'
FROM generate_series(1, 20000) n"""
PAPERS = """
INSERT INTO auto_benchmark.papers (project, id, source, title, abstract, url, stage, relevant, reason, priority,
  disposition, assessment)
SELECT 'default', 'arxiv:2601.' || n, 'arxiv', 'Paper ' || n, repeat('An abstract. ', 100), 'https://example.org/' || n,
  'acted', n % 5 = 0, 'a reason', CASE WHEN n % 5 = 0 THEN n % 100 END, 'archive', '{}'
FROM generate_series(10000, 11999) n"""
PATHS = [
    "projects", "default/summary", "default/boards", "default/boards?sort=gap&offset=500", "default/boards?q=77",
    "default/history?board=Board 7", "default/matrix", "default/matrix?board=Board 500&offset=900", "default/queue",
    "default/running", "default/hypotheses/H-001", "default/decisions", "default/log", "default/papers",
    "default/escalations", "default/digests", "default/digests/2026-02-23",
]  # fmt: skip


def main() -> None:
    asked = argparse.ArgumentParser()
    for name, usual in (("boards", 1000), ("entries", 1000), ("calls", 40)):
        asked.add_argument(f"--{name}", type=int, default=usual)
    asked.add_argument("--out", type=Path, help="also write the result there")
    options = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="auto-benchmark-perf-") as folder:
        Path(folder).chmod(0o755)
        with EmbeddedPostgres(Path(folder) / "pg", settings=FAST_AND_UNSAFE) as server:
            url = server.create_database("perf")
            upgrade(url)
            settings = web_world.settings_of(Path(folder) / "project")
            found = json.dumps(measure(World(settings, lambda: url), options), indent=1)
            print(found)
            if options.out:
                options.out.write_text(found + "\n")


def load(world: World, boards: int, entries: int) -> float:
    """Fill the database; seconds that it took."""
    web_world.declare(world.sessions, world.settings)
    web_world.fill(world.sessions)
    sizes = {"boards": boards, "entries": entries}
    started = time.perf_counter()
    with world.sessions.begin() as session:
        for statement in (BOARDS, SNAPSHOTS, ENTRIES, STANDINGS, TRIALS, PAPERS):
            session.execute(text(statement), {k: v for k, v in sizes.items() if f":{k}" in statement})
        session.execute(text("ANALYZE"))
    return time.perf_counter() - started


def measure(world: World, options: argparse.Namespace) -> dict[str, object]:
    sizes = {"boards": options.boards, "entries": options.boards * options.entries}
    loaded = load(world, options.boards, options.entries)

    async def anybody(request: Request) -> str:
        return "anybody"

    access = Access(anybody, lambda *_: True, lambda *_: True, str)
    client = TestClient(create_app(access, world))
    found = {}
    for path in PATHS:
        found[path] = times_of(lambda path=path: client.get(f"/api/{path}"), options.calls)
    slow = [path for path, t in found.items() if t["p95"] > LIMIT_MS]
    busy = round(os.getloadavg()[0], 1)
    about = {**sizes, "cores": os.cpu_count(), "load_s": round(loaded, 1), "machine_load": busy}
    return {**about, "calls": options.calls, "ms": found, "slower_than_limit": slow}


def times_of(ask: Callable[[], Any], calls: int) -> dict[str, float]:
    """p50 and p95 in ms of an answer, after two calls that warm it up, and its size."""
    times = []
    for _ in range(calls + 2):
        before = time.perf_counter()
        answer = ask()
        times.append((time.perf_counter() - before) * 1000)
        assert answer.status_code == 200, answer.text
    times = sorted(times[2:])
    p95 = times[min(len(times) - 1, int(0.95 * len(times)))]
    return {"p50": round(statistics.median(times), 1), "p95": round(p95, 1), "kB": len(answer.content) // 1000}


if __name__ == "__main__":
    main()
