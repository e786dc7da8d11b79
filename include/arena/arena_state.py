"""One running arena: its boards, its hidden worlds, and what may be submitted."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import tempfile
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from arena.declaration import Board, Declaration
from arena.hidden_world import HiddenWorld
from arena.standings import Change, Entry, history, published_at
from arena.store import AcceptedSubmission, Measured, Store
from auto_benchmark.errors import AutoBenchmarkError

log = logging.getLogger(__name__)


class ReusedKeyError(AutoBenchmarkError):
    """An idempotency key came back with another body."""


class QuotaError(AutoBenchmarkError):
    """A system has submitted as often as it may today.

    Args:
        board: whose quota.
        retry_after_s: seconds until the next day begins.
    """

    def __init__(self, board: Board, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(
            f"{board.submissions_per_day} submissions a day to {board.board}; the next day is UTC midnight"
        )


class Arena:
    """Everything that the web application serves.

    Args:
        declaration: boards, competitors, and what they rest on.
        home: directory of the state; created when missing.
        clock: current time, UTC.
    """

    def __init__(
        self, declaration: Declaration, home: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self.declaration, self.home, self.clock = declaration, home.resolve(), clock
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.token = _token(self.home / "token")
        self.store = Store(self.home / "arena.sqlite")
        self.worlds = {n: HiddenWorld(declaration, n, self.home, self.store) for n in sorted(declaration.benchmarks)}
        self.ready = threading.Event()
        self.fault = ""

    def create(self) -> None:
        """Run what has not been run yet, then open; a fault is kept for ``/healthz``."""
        try:
            for world in self.worlds.values():
                world.create()
        except Exception as error:  # the thread must not die silently, whatever happened
            log.exception("the arena could not be created")
            self.fault = str(error)
        else:
            self.ready.set()

    def world(self, board: Board) -> HiddenWorld:
        """The hidden world behind a board."""
        return self.worlds[board.benchmark]

    def standings(self, board: Board) -> tuple[list[Entry], list[Change]]:
        """Entries, best first, and history, oldest first."""
        metric, higher_is_better = self.declaration.metric(board)
        submissions = self.store.submissions(board.board)
        events = [Entry(s.system, s.scores[metric], s.submitted_at) for s in submissions]
        runs = self.store.runs()
        for entrant in board.entrants:
            key = self.world(board).key(self.declaration.competitors[entrant.system])
            if key in runs and (at := published_at(entrant, self.store.finished_at(key), submissions)):
                events.append(Entry(entrant.system, runs[key][metric], at))
        return history(events, higher_is_better=higher_is_better, now=self.clock())

    def submit(
        self, board: Board, system: str, predictions: dict[str, str], key: str
    ) -> tuple[AcceptedSubmission, bool]:
        """Score and record a submission.

        Returns:
            The submission, and whether it is new; a repeated key gives what was recorded first.

        Raises:
            ReusedKeyError: the key was used with another body.
            QuotaError: the system may not submit again today.
        """
        body = hashlib.sha256(json.dumps([system, predictions], sort_keys=True).encode()).hexdigest()
        if earlier := self._earlier(board, key, body):
            return earlier, False
        scores = self.world(board).score(predictions)
        with self.store.transaction():
            if earlier := self._earlier(board, key, body):  # the same request, sent twice at once
                return earlier, False
            now = self.clock()
            self._spend(board, system, now)
            submission = _submission(board, system, key, body, scores, now)
            self.store.add(submission)
        return submission, True

    def _earlier(self, board: Board, key: str, body: str) -> AcceptedSubmission | None:
        for submission in self.store.submissions(board.board):
            if submission.idempotency_key == key:
                if submission.body != body:
                    raise ReusedKeyError("this Idempotency-Key was used for another submission")
                return submission
        return None

    def _spend(self, board: Board, system: str, now: datetime) -> None:
        made = self.store.submissions(board.board)
        if sum(s.system == system and s.submitted_at.date() == now.date() for s in made) >= board.submissions_per_day:
            midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
            raise QuotaError(board, int((midnight - now).total_seconds()) + 1)


def _submission(
    board: Board, system: str, key: str, body: str, scores: dict[str, Measured], now: datetime
) -> AcceptedSubmission:
    identity = f"sub-{secrets.token_hex(8)}"
    response: dict[str, Any] = {
        "submission_id": identity,
        "system": system,
        "scores": {name: m.score for name, m in scores.items()},
    }
    return AcceptedSubmission(identity, board.board, system, key, body, scores, response, now)


def _token(path: Path) -> str:
    """The arena's token, made on first use; readable by its owner only."""
    if not path.exists():
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".writing-")  # mode 0600
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(32))
        Path(draft).replace(path)
    return path.read_text(encoding="ascii").strip()
