"""Get a document: a path, a ``file:`` URL, a directory of records, or http(s) with the manners of a good guest."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from auto_benchmark.addresses import shown
from auto_benchmark.http.answer import Answer
from auto_benchmark.http.bounds import Bounds, Deadline
from auto_benchmark.http.errors import AddressRefusedError, CallRefusedError, RedirectRefusedError, TooLargeError
from auto_benchmark.http.opener import Opener, http_opener
from auto_benchmark.http.redirect import MOST, follow
from auto_benchmark.http.retry import GaveUpError, Retry
from auto_benchmark.private_hosts import NO_PRIVATE, PrivateHosts
from auto_benchmark.sources.robots import ROBOTS, Robots
from auto_benchmark.tables.refusal import ReadRefused, Reason

USER_AGENT = "auto-benchmark/0.1 (leaderboard watcher"


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """How long and how much.

    Attributes:
        bytes: largest document, on the wire and unpacked.
        attempts: tries while trouble may pass.
        seconds: for everything, waits and redirects included: a slow host holds its own board only.
        wait: longest single wait that a server may ask for.
        redirects: hops.
    """

    bytes: int = 64 * 2**20
    attempts: int = 4
    seconds: float = 120.0
    wait: float = 60.0
    redirects: int = MOST


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document as it came.

    Attributes:
        content: bytes; empty when not modified.
        content_type: as the server says.
        etag: for the next conditional request.
        last_modified: for the next conditional request.
        not_modified: the server says that nothing changed.
        final_url: where it came from after redirects.
    """

    content: bytes
    content_type: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    not_modified: bool = False
    final_url: str = ""


def fetch(
    url: str,
    *,
    base: Path | None = None,
    private: PrivateHosts = NO_PRIVATE,
    etag: str | None = None,
    last_modified: str | None = None,
    token: str | None = None,
    contact: str | None = None,
    timeout: float = 20.0,
    limits: FetchLimits | None = None,
    opener: Opener | None = None,
    robots: Robots | None = ROBOTS,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Fetched:
    """Fetch one document.

    Args:
        url: http(s), ``file:`` or a path (relative to ``base``); a directory gives one record per file.
        base: directory of the file that names the path.
        private: hosts that may have a private address.
        etag: of the last answer.
        last_modified: of the last answer.
        token: bearer token; sent to the first host only.
        contact: address put into the User-Agent.
        timeout: longest silence: of a single connect or read, seconds.
        limits: sizes, attempts, total time.
        opener: replaces the built-in HTTP client.
        robots: rules of hosts as far as they are known; None to ask for none.
        sleep: waits between attempts.
        clock: monotonic seconds.

    Raises:
        ReadRefused: missing, forbidden, too large, or unreachable after all attempts.
    """
    limits = limits or FetchLimits()
    if not url.strip():
        raise ReadRefused(Reason.UNREACHABLE, "no document is named: its address is empty")
    try:
        host = urlsplit(url).hostname
    except ValueError as error:
        raise ReadRefused(Reason.UNREACHABLE, f"{shown(url)!r} is not a usable URL: {error}") from None
    if not re.match(r"(?i)https?:", url):
        return _from_disk(url, base, limits)
    if not host:
        raise ReadRefused(Reason.UNREACHABLE, f"{shown(url)!r} names no host")
    agent = f"{USER_AGENT}; {contact})" if contact else f"{USER_AGENT})"
    retry = Retry(attempts=limits.attempts, seconds=limits.seconds, wait_s=limits.wait, sleep=sleep, clock=clock)
    bounds = Bounds(silence_s=timeout, bytes=limits.bytes)
    session = _Session(opener or http_opener(private), agent, bounds, retry)
    headers = {"User-Agent": agent, "Accept": "*/*"}
    headers |= {"If-None-Match": etag} if etag else {}
    headers |= {"If-Modified-Since": last_modified} if last_modified else {}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}

    def get(place: str, sent: Mapping[str, str]) -> Answer:
        if robots is not None:
            robots.check(place, agent, session.get_rules)
        return session.get(place, sent)

    try:
        return _fetched(*follow(url, headers, get, most=limits.redirects))
    except CallRefusedError as error:
        raise _refusal(url, error) from None


@dataclass
class _Session:
    """One fetch: its client, its patience, its deadline."""

    opener: Opener
    agent: str
    bounds: Bounds
    retry: Retry

    def __post_init__(self) -> None:
        self.deadline = Deadline(self.retry.seconds, self.retry.clock)

    def get(self, url: str, headers: Mapping[str, str]) -> Answer:
        """GET with retries, redirects not followed. Raises ReadRefused where no answer comes or none may be had."""
        try:
            return self._get(url, headers)
        except GaveUpError as error:
            raise ReadRefused(Reason.UNREACHABLE, f"{shown(url)}: {error}; tried again at the next cycle") from None
        except CallRefusedError as error:
            raise _refusal(url, error) from None

    def get_rules(self, place: str) -> Answer:
        """A robots.txt; any status is an answer."""
        try:
            return self._get(place, {"User-Agent": self.agent})
        except GaveUpError as error:
            if error.answer is not None:
                return error.answer
            raise ReadRefused(Reason.UNREACHABLE, f"{shown(place)}: {error}") from None
        except CallRefusedError as error:
            raise _refusal(place, error) from None

    def _get(self, url: str, headers: Mapping[str, str]) -> Answer:
        return self.retry(lambda until: self.opener(url, headers, self.bounds.within(until)), self.deadline)


def _refusal(url: str, error: CallRefusedError) -> ReadRefused:
    reason = Reason.UNREACHABLE
    if isinstance(error, AddressRefusedError | RedirectRefusedError):
        reason = Reason.NOT_ALLOWED
    elif isinstance(error, TooLargeError):
        reason = Reason.TOO_LARGE
    place = shown(url)
    return ReadRefused(reason, str(error) if str(error).startswith(place) else f"{place}: {error}")


def _fetched(url: str, answer: Answer) -> Fetched:
    if answer.status != 304 and not 200 <= answer.status < 300:
        raise ReadRefused(Reason.UNREACHABLE, f"{shown(url)} answers {answer.status}")
    return Fetched(
        content=b"" if answer.status == 304 else answer.content,
        content_type=answer.content_type,
        etag=answer.headers.get("etag"),
        last_modified=answer.headers.get("last-modified"),
        not_modified=answer.status == 304,
        final_url=url,
    )


def _from_disk(url: str, base: Path | None, limits: FetchLimits) -> Fetched:
    parts = urlsplit(url)
    if parts.scheme.lower() == "file":
        if parts.netloc not in {"", "localhost"}:
            raise ReadRefused(Reason.NOT_ALLOWED, f"{shown(url)}: a file: URL names no host")
        path = Path(unquote(parts.path))
    else:
        path = Path(url).expanduser()
    path = base / path if base and not path.is_absolute() else path
    try:
        if path.is_dir():
            from auto_benchmark.sources.directory import records_of

            return Fetched(records_of(path, limits.bytes), "application/json", final_url=str(path))
        if not path.is_file():
            raise ReadRefused(Reason.UNREACHABLE, f"{path} is not a file")
        if path.stat().st_size > limits.bytes:
            raise ReadRefused(Reason.TOO_LARGE, f"{path} is larger than {limits.bytes} bytes")
        return Fetched(path.read_bytes(), final_url=str(path))
    except (OSError, ValueError) as error:
        raise ReadRefused(Reason.UNREACHABLE, f"{path} cannot be read: {error}") from None
