"""The arena's memory: one SQLite file in its home, every change one transaction, nothing lost by a kill.

SQLite is right here because the arena is one process with a few writes an hour; the project's own tables are in
Postgres.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

TABLES = """
CREATE TABLE IF NOT EXISTS worlds (benchmark TEXT PRIMARY KEY, seed TEXT NOT NULL, drawn_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS runs (
    key TEXT PRIMARY KEY, benchmark TEXT NOT NULL, system TEXT NOT NULL, scores TEXT NOT NULL,
    finished_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS submissions (
    id TEXT PRIMARY KEY, board TEXT NOT NULL, system TEXT NOT NULL, idempotency_key TEXT NOT NULL, body TEXT NOT NULL,
    scores TEXT NOT NULL, response TEXT NOT NULL, submitted_at TEXT NOT NULL, UNIQUE (board, idempotency_key));
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """A score with its sampling error over items."""

    score: float
    stderr: float
    items: int

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"score": self.score, "stderr": self.stderr, "items": self.items}


@dataclass(frozen=True, slots=True)
class AcceptedSubmission:
    """One accepted submission.

    Attributes:
        body: digest of what was sent, to tell a repetition from a reuse of its key.
        scores: metric -> measured.
        response: what the submitter was told.
    """

    id: str
    board: str
    system: str
    idempotency_key: str
    body: str
    scores: dict[str, Measured]
    response: dict[str, Any]
    submitted_at: datetime


class Store:
    """All reads and writes; safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=30)
        self._connection.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; {TABLES}")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside happens, or nothing."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def seed(self, benchmark: str, drawn: int, now: datetime) -> int:
        """The hidden seed of ``benchmark``; ``drawn`` becomes it when there is none yet."""
        with self.transaction():
            self._connection.execute(
                "INSERT OR IGNORE INTO worlds VALUES (?, ?, ?)", (benchmark, str(drawn), now.isoformat())
            )
            row = self._connection.execute("SELECT seed FROM worlds WHERE benchmark = ?", (benchmark,)).fetchone()
        return int(row[0])

    def runs(self) -> dict[str, dict[str, Measured]]:
        """Finished competitor runs: key -> metric -> measured."""
        return {key: _measured(scores) for key, scores in self._rows("SELECT key, scores FROM runs")}

    def finish_run(self, key: str, benchmark: str, system: str, scores: dict[str, Measured], now: datetime) -> None:
        """Record a competitor's scores; the first record of a key stays."""
        with self.transaction():
            self._connection.execute(
                "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?)",
                (key, benchmark, system, _text(scores), now.isoformat()),
            )

    def finished_at(self, key: str) -> datetime:
        """When a competitor's run ended."""
        return datetime.fromisoformat(self._rows("SELECT finished_at FROM runs WHERE key = ?", key)[0][0])

    def submissions(self, board: str) -> list[AcceptedSubmission]:
        """Accepted submissions to a board, oldest first."""
        rows = self._rows(
            "SELECT id, board, system, idempotency_key, body, scores, response, submitted_at FROM submissions "
            "WHERE board = ? ORDER BY rowid",
            board,
        )
        return [
            AcceptedSubmission(
                identity, name, system, key, body, _measured(scores), json.loads(response), datetime.fromisoformat(at)
            )
            for identity, name, system, key, body, scores, response, at in rows
        ]

    def add(self, s: AcceptedSubmission) -> None:
        """Record a submission; call inside :meth:`transaction`."""
        self._connection.execute(
            "INSERT INTO submissions VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                s.id, s.board, s.system, s.idempotency_key, s.body,
                _text(s.scores), json.dumps(s.response), s.submitted_at.isoformat(),
            ),
        )  # fmt: skip

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()


def _text(scores: dict[str, Measured]) -> str:
    return json.dumps({name: m.to_json() for name, m in scores.items()}, allow_nan=False)


def _measured(text: str) -> dict[str, Measured]:
    return {name: Measured(**values) for name, values in json.loads(text).items()}
