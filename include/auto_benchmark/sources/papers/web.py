"""HTTP for paper sources: one call at a time to a host, patient with 429 and 5xx, bounded in time."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from auto_benchmark.addresses import shown
from auto_benchmark.http.answer import Answer
from auto_benchmark.http.bounds import Bounds, Deadline
from auto_benchmark.http.errors import CallRefusedError
from auto_benchmark.http.opener import Opener, http_opener
from auto_benchmark.http.redirect import follow
from auto_benchmark.http.retry import GaveUpError, Retry
from auto_benchmark.sources.papers.source import SourceFailed, SourceFault

AGENT = "auto-benchmark/0.1 (research feed"
ARXIV_PAUSE_S = 3.0
"""Least time between two calls to arXiv, by its terms of use."""
OTHER_PAUSE_S = 1.0


@dataclass(slots=True)
class Pace:
    """Least time between two calls to the same host, for everything in this process.

    Work in several processes shares one more lock (``papers.ingest`` holds it in the database).
    """

    pauses: Mapping[str, float] = field(
        default_factory=lambda: {"export.arxiv.org": ARXIV_PAUSE_S, "arxiv.org": ARXIV_PAUSE_S}
    )
    default: float = OTHER_PAUSE_S
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _last: dict[str, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self, host: str) -> None:
        """Sleep until ``host`` may be called again, and note the call."""
        with self._lock:
            last = self._last.get(host)
            pause = 0.0 if last is None else last + self.pauses.get(host, self.default) - self.clock()
            if pause > 0:
                self.sleep(pause)
            self._last[host] = self.clock()

    def settle(self) -> None:
        """Sleep until every host could be called again: the next caller, in any process, keeps the distance."""
        with self._lock:
            ready = [last + self.pauses.get(host, self.default) for host, last in self._last.items()]
            pause = max(ready, default=0.0) - self.clock()
            if pause > 0:
                self.sleep(pause)


@dataclass(slots=True)
class Web:
    """Gets documents. One object serves all sources of a run.

    Attributes:
        pace: time between calls.
        contact: an address that operators can write to; part of the User-Agent.
        attempts: tries while trouble may pass.
        patience_s: for one document, waits included; what Retry-After asks beyond it ends the try.
        timeout_s: longest silence of a server.
        largest_bytes: of one document.
        opener: does the call; the guarded client by default, which refuses private addresses.
        given_up: hosts that could not be reached, with the reason; they are not asked again as long as this object
            lives. None asks them each time.
    """

    pace: Pace = field(default_factory=Pace)
    contact: str | None = None
    attempts: int = 6
    patience_s: float = 300.0
    timeout_s: float = 30.0
    largest_bytes: int = 32 * 2**20
    opener: Opener = field(default_factory=http_opener)
    calls: int = 0
    given_up: dict[str, str] | None = None

    @property
    def agent(self) -> str:
        """The User-Agent."""
        return f"{AGENT}; {self.contact})" if self.contact else f"{AGENT})"

    def get(self, url: str, *, headers: Mapping[str, str] | None = None, accept: str = "*/*") -> Answer:
        """GET with retries; up to five redirects are followed, to http(s) only. Other statuses are answers.

        Raises:
            SourceFailed: rate limited or unreachable after all attempts.
        """
        sent = {"User-Agent": self.agent, "Accept": accept, **(headers or {})}
        host = urlsplit(url).netloc.rpartition("@")[2]
        if self.given_up and host in self.given_up:
            raise SourceFailed(
                SourceFault.UNREACHABLE, f"{shown(url)}: not asked, {host} was unreachable a moment ago"
            )

        bounds = Bounds(silence_s=self.timeout_s, bytes=self.largest_bytes)

        def once(until: Deadline) -> Answer:
            self.pace.wait(host)
            self.calls += 1
            return follow(url, sent, lambda place, told: self.opener(place, told, bounds.within(until)))[1]

        try:
            return self._retry()(once)
        except CallRefusedError as refused:
            raise SourceFailed(SourceFault.UNREACHABLE, f"{shown(url)}: {refused}") from None
        except GaveUpError as error:
            if self.given_up is not None and error.answer is None:
                self.given_up[host] = str(error)
            is_limited = error.answer is not None and error.answer.status == 429
            fault = SourceFault.RATE_LIMITED if is_limited else SourceFault.UNREACHABLE
            raise SourceFailed(fault, f"{shown(url)}: {error}; tried again at the next run") from None

    def json(self, url: str, *, headers: Mapping[str, str] | None = None) -> Any:
        """GET a JSON document.

        Raises:
            SourceFailed: not found, refused, or no JSON; and as :meth:`get`.
        """
        answer = self.get(url, headers=headers, accept="application/json")
        if answer.status == 404:
            raise SourceFailed(SourceFault.NOT_FOUND, f"{shown(url)} answers 404")
        if not 200 <= answer.status < 300:
            raise SourceFailed(SourceFault.UNREACHABLE, f"{shown(url)} answers {answer.status}")
        try:
            return json.loads(answer.content)
        except (ValueError, RecursionError):
            raise SourceFailed(
                SourceFault.MALFORMED, f"{shown(url)} is not JSON ({len(answer.content)} bytes)"
            ) from None

    def _retry(self) -> Retry:
        return Retry(
            attempts=self.attempts, seconds=self.patience_s, wait_s=self.patience_s,
            sleep=self.pace.sleep, clock=self.pace.clock,
        )  # fmt: skip
