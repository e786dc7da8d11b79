"""Get a document: a path, a ``file:`` URL, a directory of records, or http(s) with the manners of a good guest."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote, urljoin, urlsplit

from auto_benchmark.sources.robots import ROBOTS, Robots
from auto_benchmark.tables.refusal import ReadRefused, Reason

if TYPE_CHECKING:
    import httpx

USER_AGENT = "auto-benchmark/0.1 (leaderboard watcher"
RETRIED = frozenset({429, 500, 502, 503, 504})
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how much.

    Attributes:
        bytes: largest document after decompression.
        attempts: tries on 429, 5xx and connection errors.
        seconds: for everything, waits included: a slow host holds its own board only.
        wait: longest single wait that a server may ask for.
        redirects: hops.
    """

    bytes: int = 64 * 2**20
    attempts: int = 4
    seconds: float = 120.0
    wait: float = 60.0
    redirects: int = 5


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


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer, whoever fetched it."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Opener(Protocol):
    """Does one GET without following redirects. Airflow's HTTP hook can stand in here."""

    def __call__(self, url: str, headers: Mapping[str, str], *, timeout: float, limit: int) -> Answer:
        """Answer to a GET; at most ``limit`` bytes within ``timeout`` seconds.

        Raises:
            ConnectionError: no answer (worth another try).
            ReadRefused: not allowed or too large (not worth it).
        """


def fetch(
    url: str,
    *,
    base: Path | None = None,
    allow_private: bool = False,
    etag: str | None = None,
    last_modified: str | None = None,
    token: str | None = None,
    contact: str | None = None,
    timeout: float = 20.0,
    limits: Limits | None = None,
    opener: Opener | None = None,
    robots: Robots | None = ROBOTS,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Fetched:
    """Fetch one document.

    Args:
        url: http(s), ``file:`` or a path (relative to ``base``); a directory gives one record per file.
        base: directory of the file that names the path.
        allow_private: loopback and private networks too.
        etag: of the last answer.
        last_modified: of the last answer.
        token: bearer token; sent to the first host only.
        contact: address put into the User-Agent.
        timeout: of a single connect or read, seconds.
        limits: sizes, attempts, total time.
        opener: replaces the built-in HTTP client.
        robots: rules of hosts as far as they are known; None to ask for none.
        sleep: waits between attempts.
        clock: monotonic seconds.

    Raises:
        ReadRefused: missing, forbidden, too large, or unreachable after all attempts.
    """
    limits = limits or Limits()
    if not url.strip():
        raise ReadRefused(Reason.UNREACHABLE, "no document is named: its address is empty")
    try:
        host = urlsplit(url).hostname
    except ValueError as error:
        raise ReadRefused(Reason.UNREACHABLE, f"{url[:200]!r} is no usable URL: {error}") from None
    if not re.match(r"(?i)https?:", url):
        return _from_disk(url, base, limits)
    if not host:
        raise ReadRefused(Reason.UNREACHABLE, f"{url[:200]!r} names no host")
    agent = f"{USER_AGENT}; {contact})" if contact else f"{USER_AGENT})"
    session = _Session(opener or http_opener(allow_private=allow_private), agent, timeout, limits, sleep, clock)
    headers = {"User-Agent": agent, "Accept": "*/*"}
    headers |= {"If-None-Match": etag} if etag else {}
    headers |= {"If-Modified-Since": last_modified} if last_modified else {}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    for _ in range(limits.redirects + 1):
        if robots is not None:
            robots.check(url, agent, session.get_rules)
        answer = session.get(url, headers)
        if answer.status not in REDIRECTS or not _header(answer, "location"):
            return _fetched(url, answer)
        target = urljoin(url, _header(answer, "location") or "")
        if urlsplit(target).scheme.lower() not in {"http", "https"}:
            raise ReadRefused(Reason.NOT_ALLOWED, f"{url} redirects to {target[:100]}, which is not http(s)")
        if urlsplit(target)[:2] != urlsplit(url)[:2]:
            headers.pop("Authorization", None)
        url = target
    raise ReadRefused(Reason.UNREACHABLE, f"{url} redirects more than {limits.redirects} times")


@dataclass
class _Session:
    """One fetch: its client, its patience, its deadline."""

    opener: Opener
    agent: str
    timeout: float
    limits: Limits
    sleep: Callable[[float], None]
    clock: Callable[[], float]

    def __post_init__(self) -> None:
        self.deadline = self.clock() + self.limits.seconds

    def get(self, url: str, headers: Mapping[str, str], *, any_status: bool = False) -> Answer:
        """GET with retries: exponential waits with jitter, or what Retry-After asks for.

        Args:
            url: http(s).
            headers: of the request.
            any_status: the last answer counts even where all attempts failed.
        """
        from tenacity import RetryError, Retrying, retry_if_exception_type, retry_if_result, stop_after_attempt
        from tenacity.wait import wait_exponential_jitter

        backoff = wait_exponential_jitter(initial=1.0, max=self.limits.wait / 2, jitter=1.0)

        def wait(state: object) -> float:
            outcome = state.outcome  # type: ignore[attr-defined]
            asked = None if outcome.failed else retry_after(_header(outcome.result(), "retry-after"))
            pause = max(asked or 0.0, backoff(state))  # type: ignore[arg-type]
            if pause > self.limits.wait or self.clock() + pause > self.deadline:
                raise ReadRefused(
                    Reason.UNREACHABLE, f"{url} asks to wait {pause:.0f} s; tried again at the next cycle"
                )
            return pause

        retrying = Retrying(
            stop=stop_after_attempt(self.limits.attempts),
            wait=wait,
            sleep=self.sleep,
            retry=retry_if_exception_type(ConnectionError) | retry_if_result(lambda a: a.status in RETRIED),
        )
        try:
            return retrying(self._once, url, headers)
        except RetryError as error:
            last = error.last_attempt
            if any_status and not last.failed:
                answer: Answer = last.result()
                return answer
            what = str(last.exception()) if last.failed else f"status {last.result().status}"
            raise ReadRefused(Reason.UNREACHABLE, f"{url}: {what} after {self.limits.attempts} attempts") from None

    def _once(self, url: str, headers: Mapping[str, str]) -> Answer:
        left = self.deadline - self.clock()
        if left <= 0:
            raise ReadRefused(Reason.UNREACHABLE, f"{url} did not answer within {self.limits.seconds:g} s")
        return self.opener(url, headers, timeout=min(self.timeout, left), limit=self.limits.bytes)

    def get_rules(self, place: str) -> Answer:
        """A robots.txt; any status is an answer."""
        return self.get(place, {"User-Agent": self.agent}, any_status=True)


def http_opener(*, allow_private: bool) -> Opener:
    """An opener over httpx that connects to public addresses only, unless told otherwise."""
    import httpcore
    import httpx

    from auto_benchmark.sources.address import GuardedTransport

    def open_url(url: str, headers: Mapping[str, str], *, timeout: float, limit: int) -> Answer:
        deadline = time.monotonic() + timeout * 3
        try:
            with (
                httpx.Client(transport=GuardedTransport(allow_private=allow_private), timeout=timeout) as client,
                client.stream("GET", url, headers=dict(headers)) as response,
            ):
                return Answer(response.status_code, dict(response.headers), _body(response, url, limit, deadline))
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise ReadRefused(Reason.UNREACHABLE, f"{url[:200]} is no usable URL: {error}") from None
        except (httpx.HTTPError, httpcore.NetworkError, httpcore.TimeoutException, OSError) as error:
            raise ConnectionError(f"{type(error).__name__} {error}".strip()) from None

    return open_url


def _body(response: httpx.Response, url: str, limit: int, deadline: float) -> bytes:
    declared = response.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise ReadRefused(Reason.TOO_LARGE, f"{url} is {int(declared)} bytes, more than {limit}")
    chunks: list[bytes] = []
    size = 0
    for chunk in response.iter_bytes():
        size += len(chunk)
        if size > limit:
            raise ReadRefused(Reason.TOO_LARGE, f"{url} is more than {limit} bytes")
        if time.monotonic() > deadline:
            raise ConnectionError("the body comes too slowly")
        chunks.append(chunk)
    return b"".join(chunks)


def _header(answer: Answer, name: str) -> str | None:
    return next((v for k, v in answer.headers.items() if k.lower() == name), None)


def _fetched(url: str, answer: Answer) -> Fetched:
    if answer.status != 304 and not 200 <= answer.status < 300:
        raise ReadRefused(Reason.UNREACHABLE, f"{url} answers {answer.status}")
    return Fetched(
        content=b"" if answer.status == 304 else answer.content,
        content_type=_header(answer, "content-type"),
        etag=_header(answer, "etag"),
        last_modified=_header(answer, "last-modified"),
        not_modified=answer.status == 304,
        final_url=url,
    )


def retry_after(value: str | None, now: float | None = None) -> float | None:
    """Seconds of a Retry-After header, given as seconds or as a date; None when absent or unreadable."""
    if not value:
        return None
    if value.strip().isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - (time.time() if now is None else now))
    except (TypeError, ValueError):
        return None


def _from_disk(url: str, base: Path | None, limits: Limits) -> Fetched:
    parts = urlsplit(url)
    if parts.scheme.lower() == "file":
        if parts.netloc not in {"", "localhost"}:
            raise ReadRefused(Reason.NOT_ALLOWED, f"{url}: a file: URL names no host")
        path = Path(unquote(parts.path))
    else:
        path = Path(url).expanduser()
    path = base / path if base and not path.is_absolute() else path
    try:
        if path.is_dir():
            from auto_benchmark.sources.directory import records_of

            return Fetched(records_of(path, limits.bytes), "application/json", final_url=str(path))
        if not path.is_file():
            raise ReadRefused(Reason.UNREACHABLE, f"{path} is no file")
        if path.stat().st_size > limits.bytes:
            raise ReadRefused(Reason.TOO_LARGE, f"{path} is larger than {limits.bytes} bytes")
        return Fetched(path.read_bytes(), final_url=str(path))
    except (OSError, ValueError) as error:
        raise ReadRefused(Reason.UNREACHABLE, f"{path} cannot be read: {error}") from None
