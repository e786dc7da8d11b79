"""1,000 boards x 1,000 entries: parsed and compared with yesterday, on two processes, with peak memory.

    PYTHONPATH=include:plugins python perf/thousand_boards.py [--boards 1000] [--entries 1000] [--workers 2] [--store]

Formats rotate over HTML, JSON, CSV, Markdown and YAML. ``--store`` also writes snapshot and delta of every board to
a temporary embedded Postgres.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import resource
import shutil
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from auto_benchmark.leaderboards.compare import compare
from auto_benchmark.leaderboards.delta import Delta
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.read import read_board
from auto_benchmark.tables.entry import ParsedBoard

FORMATS = ("html_table", "api", "csv", "markdown", "yaml")


def render(method: str, rows: list[tuple[str, float]]) -> bytes:
    if method == "html_table":
        body = "".join(f"<tr><td>{n}</td><td>{s}</td><td>7B</td></tr>" for n, s in rows)
        text = f"<table><tr><th>Model</th><th>accuracy</th><th>Size</th></tr>{body}</table>"
    elif method == "api":
        text = json.dumps([{"model": n, "accuracy": s, "size": "7B"} for n, s in rows])
    elif method == "csv":
        text = "model,accuracy,size\n" + "".join(f"{n},{s},7B\n" for n, s in rows)
    elif method == "markdown":
        text = "| Model | accuracy | Size |\n|---|---|---|\n" + "".join(f"| {n} | {s} | 7B |\n" for n, s in rows)
    else:
        text = "".join(f"- model: {n}\n  accuracy: {s}\n  size: 7B\n" for n, s in rows)
    return text.encode()


def spec_of(number: int) -> Leaderboard:
    method = FORMATS[number % len(FORMATS)]
    fields = {"name": f"board-{number}", "url": "x", "scrape_method": method, "primary_metric": "accuracy"}
    return Leaderboard.model_validate({**fields, "higher_is_better": True, "items": 2000})


def pages(number: int, entries: int) -> tuple[bytes, bytes]:
    """Yesterday's page and today's: three scores moved, one system new, one gone."""
    rng = random.Random(number)
    rows = [(f"system-{i}", round(rng.uniform(20, 90), 2)) for i in range(entries)]
    today = rows[1:]
    for i in rng.sample(range(len(today)), 3):
        today[i] = (today[i][0], round(today[i][1] + 5, 2))
    today.append(("newcomer", round(rng.uniform(20, 90), 2)))
    method = FORMATS[number % len(FORMATS)]
    return render(method, rows), render(method, today)


def one_board(job: tuple[int, int]) -> tuple[float, int, ParsedBoard, Delta]:
    """Seconds of processor, changes found, board and delta. Making the pages is not measured."""
    number, entries = job
    old, new = pages(number, entries)
    spec = spec_of(number)
    started = time.process_time()
    before, now = read_board(old, spec, source="x"), read_board(new, spec, source="x")
    delta = compare(
        before.entries, now.entries, board=spec.name, higher_is_better=True, ours=["system-5"], items=2000
    )
    return time.process_time() - started, len(delta.changes), now, delta


def peak_mib(who: int) -> float:
    return resource.getrusage(who).ru_maxrss / 1024


class Store:
    """A temporary Postgres that takes boards in."""

    def __init__(self, boards: int) -> None:
        from auto_benchmark.db.embedded import EmbeddedPostgres
        from auto_benchmark.db.engine import engine, session_factory
        from auto_benchmark.db.migrate import upgrade
        from auto_benchmark.db.repositories import projects
        from auto_benchmark.registry.competitive_registry import CompetitiveRegistry

        self.directory = Path(tempfile.mkdtemp(prefix="auto-benchmark-"))
        self.directory.chmod(0o755)
        self.server = EmbeddedPostgres(self.directory).start()
        url = self.server.create_database("perf")
        upgrade(url)
        self.sessions = session_factory(engine(url))
        registry = CompetitiveRegistry.model_validate(
            {
                "domain": "perf",
                "target_leaderboards": [
                    spec_of(i).model_dump(mode="json", exclude_unset=True) for i in range(boards)
                ],
                "our_solution": {"name": "system-5", "solution": "none", "promotion_threshold": 0.01},
            }
        )
        with self.sessions.begin() as session:
            projects.upsert(session=session, project="perf", registry=registry)

    def take(self, board: ParsedBoard, delta: Delta) -> None:
        from auto_benchmark.db.repositories import snapshots
        from auto_benchmark.leaderboards.snapshot import BoardReading

        digest = hashlib.sha256(board.board.encode()).hexdigest()
        reading = BoardReading(datetime.now(UTC), digest, board.entries)
        with self.sessions.begin() as session:
            snapshot, _ = snapshots.record(
                session=session, project="perf", board=board.board, reading=reading, ours=["system-5"]
            )
            snapshots.record_changes(session=session, project="perf", new=snapshot, old=None, delta=delta)

    def close(self) -> None:
        self.server.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--boards", type=int, default=1000)
    parser.add_argument("--entries", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--store", action="store_true")
    given: Any = parser.parse_args()
    store = Store(given.boards) if given.store else None
    busy, changes, stored = 0.0, 0, 0.0
    started = time.perf_counter()
    with ProcessPoolExecutor(given.workers) as pool:
        jobs = [(i, given.entries) for i in range(given.boards)]
        for seconds, found, board, delta in pool.map(one_board, jobs, chunksize=4):
            busy, changes = busy + seconds, changes + found
            if store:
                began = time.perf_counter()
                store.take(board, delta)
                stored += time.perf_counter() - began
    wall = time.perf_counter() - started
    if store:
        store.close()
    rows = 2 * given.boards * given.entries
    print(f"{given.boards} boards x {given.entries} entries, read twice and compared, {given.workers} workers")
    print(f"wall {wall:.1f} s (making and carrying pages included); reading and comparing took")
    print(f"{busy:.1f} s of processor, {busy / rows * 1e6:.1f} µs a row; storing {stored:.1f} s; {changes} changes")
    parent, worker = peak_mib(resource.RUSAGE_SELF), peak_mib(resource.RUSAGE_CHILDREN)
    print(f"peak memory: parent {parent:.0f} MiB, largest worker {worker:.0f} MiB")


if __name__ == "__main__":
    main()
