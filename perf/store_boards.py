"""How long it takes to store 1,000 boards of 1,000 entries, and to find them unchanged the next day."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from auto_benchmark.db.embedded import EmbeddedPostgres
from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.migrate import upgrade
from auto_benchmark.db.repositories import board_history, projects, snapshots
from auto_benchmark.leaderboards.snapshot import BoardReading
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
from auto_benchmark.tables.entry import Entry

boards, rows = (int(word) for word in (sys.argv[1:] or ["1000", "1000"]))
day = datetime(2026, 3, 1, tzinfo=UTC)
entries = [
    Entry(rank=i, system=f"System {i}", score=1 - i / rows, metrics={"f1": i / rows}) for i in range(1, rows + 1)
]
declared = [
    {"name": f"Board {i}", "scrape_method": "manual", "primary_metric": "accuracy", "higher_is_better": True}
    for i in range(boards)
]
registry = CompetitiveRegistry.model_validate(
    {"domain": "memory", "target_leaderboards": declared, "our_solution": {"name": "System 7"}}
)
home = Path(tempfile.mkdtemp(prefix="auto-benchmark-perf-"))
home.chmod(0o755)
with EmbeddedPostgres(home) as server:
    url = server.create_database("perf")
    upgrade(url)
    sessions = session_factory(engine(url))

    def timed(what: str, fetched_at: datetime) -> None:
        start = time.perf_counter()
        with sessions.begin() as session:
            for board in declared:
                reading = BoardReading(fetched_at, f"hash of {board['name']}", entries)
                snapshots.record(
                    session=session, project="perf", board=board["name"], reading=reading, ours=["System 7"]
                )
        print(f"{what}: {time.perf_counter() - start:.2f} s")

    with sessions.begin() as session:
        projects.upsert(session=session, project="perf", registry=registry)
    timed(f"store {boards} x {rows} entries", day)
    timed("find them unchanged", day + timedelta(days=1))
    with sessions.begin() as session:
        start = time.perf_counter()
        assert len(board_history.last_seen(session=session, project="perf")) == boards
        print(f"last reading of all boards: {time.perf_counter() - start:.3f} s")
shutil.rmtree(home)
