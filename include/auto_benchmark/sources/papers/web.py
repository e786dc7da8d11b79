"""HTTP for paper sources: one call at a time to a host, patient with 429 and 5xx, bounded in time."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from auto_benchmark.sources.fetch import RETRIED, Answer, Opener, http_opener, retry_after
from auto_benchmark.sources.papers.source import Fault, SourceFailed
from auto_benchmark.tables.refusal import ReadRefused

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
        """Sleep until every host could be called again: whoever works next, in any process, keeps the distance."""
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
        attempts: tries on 429, 5xx and connection errors.
        patience_s: for one document, waits included; what Retry-After asks beyond it ends the try.
        timeout_s: of one call.
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
    opener: Opener = field(default_factory=lambda: http_opener(allow_private=False))
    random: Callable[[], float] = random.random
    calls: int = 0
    given_up: dict[str, str] | None = None

    @property
    def agent(self) -> str:
        """The User-Agent."""
        return f"{AGENT}; {self.contact})" if self.contact else f"{AGENT})"

    def get(self, url: str, *, headers: Mapping[str, str] | None = None, accept: str = "*/*") -> Answer:
        """GET with retries.

        Honours Retry-After; without one the pause doubles, with jitter. Other statuses are answers, not faults.

        Raises:
            SourceFailed: rate limited or unreachable after all attempts.
        """
        sent = {"User-Agent": self.agent, "Accept": accept, **(headers or {})}
        began, last = self.pace.clock(), "no answer"
        host = urlsplit(url).netloc
        if self.given_up and host in self.given_up:
            raise SourceFailed(Fault.UNREACHABLE, f"{url}: not asked, {host} was unreachable a moment ago")
        status: int | None = None
        for attempt in range(self.attempts):
            self.pace.wait(host)
            asked: float | None = None
            try:
                answer = self._call(url, sent)
                status = answer.status
                if status not in RETRIED:
                    return answer
                last, asked = (
                    f"status {status}",
                    retry_after(answer.headers.get("retry-after") or answer.headers.get("Retry-After")),
                )
            except ConnectionError as error:
                status, last = None, str(error)
            pause = max(asked or 0.0, 2.0 ** (attempt + 1) * (0.5 + self.random()))
            if attempt + 1 == self.attempts or self.pace.clock() - began + pause > self.patience_s:
                break
            self.pace.sleep(pause)
        if self.given_up is not None and status is None:
            self.given_up[host] = last
        fault = Fault.RATE_LIMITED if status == 429 else Fault.UNREACHABLE
        raise SourceFailed(fault, f"{url}: {last}; tried again at the next run")

    def json(self, url: str, *, headers: Mapping[str, str] | None = None) -> Any:
        """GET a JSON document.

        Raises:
            SourceFailed: not found, refused, or no JSON; and as :meth:`get`.
        """
        answer = self.get(url, headers=headers, accept="application/json")
        if answer.status == 404:
            raise SourceFailed(Fault.NOT_FOUND, f"{url} answers 404")
        if not 200 <= answer.status < 300:
            raise SourceFailed(Fault.UNREACHABLE, f"{url} answers {answer.status}")
        try:
            return json.loads(answer.content)
        except (ValueError, RecursionError):
            raise SourceFailed(Fault.MALFORMED, f"{url} is no JSON ({len(answer.content)} bytes)") from None

    def _call(self, url: str, headers: Mapping[str, str]) -> Answer:
        self.calls += 1
        try:
            answer = self.opener(url, headers, timeout=self.timeout_s, limit=self.largest_bytes)
        except ReadRefused as refused:
            raise SourceFailed(Fault.UNREACHABLE, refused.message) from None
        return self._followed(url, answer, headers)

    def _followed(self, url: str, answer: Answer, headers: Mapping[str, str]) -> Answer:
        """Follow up to five redirects, to http(s) only."""
        from urllib.parse import urljoin

        for _ in range(5):
            target = answer.headers.get("location") or answer.headers.get("Location")
            if answer.status not in {301, 302, 303, 307, 308} or not target:
                return answer
            url = urljoin(url, target)
            if urlsplit(url).scheme not in {"http", "https"}:
                raise SourceFailed(Fault.UNREACHABLE, f"redirected to {url[:100]}, which is not http(s)")
            try:
                answer = self.opener(url, headers, timeout=self.timeout_s, limit=self.largest_bytes)
            except ReadRefused as refused:
                raise SourceFailed(Fault.UNREACHABLE, refused.message) from None
        raise SourceFailed(Fault.UNREACHABLE, f"{url} redirects too often")
