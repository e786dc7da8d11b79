"""Fetching, against a real server on the loopback."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from auto_benchmark.http.address import is_public, resolve
from auto_benchmark.http.answer import Answer
from auto_benchmark.http.bounds import Bounds
from auto_benchmark.http.errors import AddressRefusedError
from auto_benchmark.http.opener import http_opener
from auto_benchmark.http.retry import retry_after
from auto_benchmark.private_hosts import ALL_PRIVATE, NO_PRIVATE
from auto_benchmark.sources.archive import RawArchive
from auto_benchmark.sources.fetch import Fetched, FetchLimits, fetch
from auto_benchmark.sources.robots import DOWN_S, KEEP_S, STALE_S, Robots
from auto_benchmark.tables.refusal import ReadRefused, Reason

Handler = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """A server whose answers a test scripts per path; unscripted paths are 404."""

    def __init__(self) -> None:
        self.pages: dict[str, Handler] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []
        site = self

        class Serve(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
                page = site.pages.get(self.path)
                page(self) if page else self.send_error(404)

            def log_message(self, *_: Any) -> None:
                """Stay quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Serve)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


def answer(status: int = 200, body: bytes = b"x", **headers: str) -> Handler:
    def send(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    return send


@pytest.fixture
def site() -> Iterator[Site]:
    found = Site()
    yield found
    found.server.shutdown()
    found.server.server_close()


def get(url: str, **options: Any) -> Fetched:
    waits: list[float] = options.pop("waits", [])
    options.setdefault("robots", Robots())
    return fetch(url, private=ALL_PRIVATE, sleep=waits.append, **options)


def refused(url: str, **options: Any) -> ReadRefused:
    with pytest.raises(ReadRefused) as caught:
        get(url, **options)
    return caught.value


def test_second_request_is_conditional(site: Site) -> None:
    def page(request: BaseHTTPRequestHandler) -> None:
        same = request.headers.get("If-None-Match") == '"v1"'
        answer(304 if same else 200, b"" if same else b"board", ETag='"v1"')(request)

    site.pages["/b"] = page
    first = get(site.url + "/b")
    again = get(site.url + "/b", etag=first.etag)
    assert (first.content, first.not_modified) == (b"board", False)
    assert (again.content, again.not_modified) == (b"", True)


def test_retry_after_is_honoured_and_then_the_page_comes(site: Site) -> None:
    turns = iter([answer(429, Retry_After="7"), answer(503), answer(200, b"ok")])

    def page(request: BaseHTTPRequestHandler) -> None:
        next(turns)(request)

    site.pages["/b"] = page
    waits: list[float] = []
    assert get(site.url + "/b", waits=waits).content == b"ok"
    assert len(waits) == 2
    assert waits[0] >= 7
    assert 0 < waits[1] < 7


def test_a_wait_longer_than_allowed_is_left_to_the_next_cycle(site: Site) -> None:
    site.pages["/b"] = answer(429, Retry_After="3600")
    waits: list[float] = []
    found = refused(site.url + "/b", waits=waits)
    assert found.reason_code is Reason.UNREACHABLE
    assert "3600 s" in found.message
    assert waits == []


def test_failures_that_will_not_pass_are_not_retried(site: Site) -> None:
    assert "404" in refused(site.url + "/none").message
    assert sum(path == "/none" for path, _ in site.seen) == 1


def test_retries_end(site: Site) -> None:
    site.pages["/b"] = answer(500)
    assert "status 500 after 3 attempts" in refused(site.url + "/b", limits=FetchLimits(attempts=3)).message


def test_robots_txt_is_obeyed_and_the_agent_can_be_contacted(site: Site) -> None:
    site.pages["/robots.txt"] = answer(200, b"User-agent: auto-benchmark\nDisallow: /private\n")
    site.pages["/private/b"] = site.pages["/open"] = answer()
    assert refused(site.url + "/private/b").reason_code is Reason.NOT_ALLOWED
    said = str(refused(site.url.replace("//", "//user:pa55word@") + "/private/b?token=s3cr3t").message)
    assert "forbids" in said and "pa55word" not in said and "s3cr3t" not in said
    assert get(site.url + "/open", contact="team@example.org").content == b"x"
    assert "team@example.org" in site.seen[-1][1]["user-agent"]


def rules_asked(site: Site) -> int:
    return sum(path == "/robots.txt" for path, _ in site.seen)


def test_robots_txt_is_asked_for_once_an_hour_per_host(site: Site) -> None:
    now = [0.0]
    robots = Robots(clock=lambda: now[0])
    site.pages["/robots.txt"] = answer(200, b"User-agent: *\nDisallow: /private\n")
    site.pages["/a"] = site.pages["/b"] = site.pages["/private"] = answer()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda path: get(site.url + path, robots=robots), ["/a", "/b"] * 8))
    assert rules_asked(site) == 1
    site.pages["/robots.txt"] = answer(200, b"User-agent: *\nDisallow: /a\n")
    assert get(site.url + "/a", robots=robots).content == b"x"
    now[0] += KEEP_S + 1
    assert refused(site.url + "/a", robots=robots).reason_code is Reason.NOT_ALLOWED
    assert get(site.url + "/private", robots=robots).content == b"x"
    assert rules_asked(site) == 2


@pytest.mark.parametrize("status", [401, 403, 404, 410, 429])
def test_a_missing_robots_txt_allows_everything(site: Site, status: int) -> None:
    site.pages["/robots.txt"] = answer(status, b"User-agent: *\nDisallow: /\n")
    site.pages["/b"] = answer()
    assert get(site.url + "/b").content == b"x"


@pytest.mark.parametrize("status", [500, 501, 503])
def test_a_broken_robots_txt_forbids_everything_and_is_not_asked_for_again_at_once(site: Site, status: int) -> None:
    now = [0.0]
    robots = Robots(clock=lambda: now[0])
    site.pages["/robots.txt"] = answer(status)
    site.pages["/b"] = answer()
    found = refused(site.url + "/b", robots=robots, limits=FetchLimits(attempts=2))
    assert found.reason_code is Reason.UNREACHABLE
    assert f"robots.txt answers {status}" in found.message
    asked = rules_asked(site)
    assert asked == (1 if status == 501 else 2)
    assert f"robots.txt answers {status}" in refused(site.url + "/b", robots=robots).message
    assert rules_asked(site) == asked
    assert all(path == "/robots.txt" for path, _ in site.seen)
    site.pages["/robots.txt"] = answer(404)
    now[0] += DOWN_S
    assert get(site.url + "/b", robots=robots).content == b"x"


def test_known_rules_hold_for_a_day_while_the_file_cannot_be_had(site: Site) -> None:
    now = [0.0]
    robots = Robots(clock=lambda: now[0])
    site.pages["/robots.txt"] = answer(200, b"User-agent: *\nDisallow: /private\n")
    site.pages["/b"] = site.pages["/private"] = answer()
    get(site.url + "/b", robots=robots)
    site.pages["/robots.txt"] = answer(503)
    now[0] = KEEP_S + 1
    assert get(site.url + "/b", robots=robots).content == b"x"
    assert refused(site.url + "/private", robots=robots).reason_code is Reason.NOT_ALLOWED
    now[0] = STALE_S + 1
    assert refused(site.url + "/b", robots=robots).reason_code is Reason.UNREACHABLE


def test_a_host_that_does_not_answer_is_forbidden_too(site: Site) -> None:
    site.server.shutdown()
    site.server.server_close()
    assert "ConnectError" in refused(site.url + "/b", limits=FetchLimits(attempts=2)).message


def test_robots_txt_may_be_redirected_but_not_without_end(site: Site) -> None:
    other = Site()
    other.pages["/rules"] = answer(200, b"User-agent: *\nDisallow: /private\n")
    site.pages["/robots.txt"] = answer(301, Location=f"{other.url}/rules")
    site.pages["/private"] = site.pages["/b"] = answer()
    assert refused(site.url + "/private").reason_code is Reason.NOT_ALLOWED
    assert get(site.url + "/b").content == b"x"
    site.pages["/robots.txt"] = answer(301, Location="/robots.txt")
    assert get(site.url + "/private").content == b"x"
    other.server.shutdown()
    other.server.server_close()


def test_token_goes_to_the_first_host_only(site: Site) -> None:
    other = Site()
    site.pages["/b"] = answer(302, Location=f"{other.url}/b")
    other.pages["/b"] = answer(200, b"moved")
    fetched = get(site.url + "/b", token="secret")
    assert (fetched.content, fetched.final_url) == (b"moved", other.url + "/b")
    assert ("/b", "Bearer secret") in [(path, headers.get("authorization")) for path, headers in site.seen]
    assert all("authorization" not in headers for _, headers in other.seen)
    other.server.shutdown()


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://example.org/x", "gopher://x"])
def test_redirects_never_leave_http(site: Site, target: str) -> None:
    site.pages["/b"] = answer(302, Location=target)
    assert refused(site.url + "/b").reason_code is Reason.NOT_ALLOWED


def test_redirect_loops_end(site: Site) -> None:
    site.pages["/b"] = answer(302, Location="/b")
    assert "redirects more than 5 times" in refused(site.url + "/b").message


def test_private_addresses_need_permission(site: Site) -> None:
    site.pages["/b"] = answer()
    for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433"):
        with pytest.raises(ReadRefused, match=r"private address|not answer|no usable|ConnectError"):
            fetch(site.url.replace("127.0.0.1", host) + "/b", sleep=lambda _: None, limits=FetchLimits(attempts=1))
    assert site.seen == []


def test_redirect_to_a_private_address_is_refused(monkeypatch: pytest.MonkeyPatch, site: Site) -> None:
    """The address is checked when connecting, so a public host cannot lead into the private network."""
    site.pages["/b"] = answer()
    with pytest.raises(ReadRefused, match="private address"):
        fetch("http://public.example/", opener=_redirecting(f"{site.url}/b"), sleep=lambda _: None)
    assert site.seen == []


def _redirecting(target: str) -> Any:
    real = http_opener()

    def open_url(url: str, headers: Any, bounds: Bounds) -> Answer:
        if "public.example" not in url:
            return real(url, headers, bounds)
        if url.endswith("robots.txt"):
            return Answer(404)
        return Answer(302, headers={"Location": target})

    return open_url


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("10.0.0.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("::1", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("224.0.0.1", False),
        ("fe80::1%eth0", False),
        ("64:ff9b:1::7f00:1", False),
        ("::127.0.0.1", False),
        ("::ffff:0:127.0.0.1", False),
        ("fec0::1", False),
    ],
)
def test_which_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(address) is public


def test_one_private_answer_among_several_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [(2, 1, 6, "", ("8.8.8.8", 80)), (2, 1, 6, "", ("10.0.0.7", 80))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *a, **k: answers)
    with pytest.raises(AddressRefusedError, match=r"10\.0\.0\.7"):
        resolve("rebinding.example", 80, private=NO_PRIVATE)
    assert resolve("rebinding.example", 80, private=ALL_PRIVATE) == ["8.8.8.8", "10.0.0.7"]


def test_size_is_limited_after_decompression(site: Site) -> None:
    bomb = gzip.compress(b"0" * 5_000_000)
    assert len(bomb) < 10_000
    site.pages["/b"] = answer(200, bomb, Content_Encoding="gzip")
    assert refused(site.url + "/b", limits=FetchLimits(bytes=100_000)).reason_code is Reason.TOO_LARGE


def test_a_dripping_host_holds_nobody_for_long(site: Site) -> None:
    def drip(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        for _ in range(12_000):  # for ten minutes, longer than a test may last
            try:
                request.wfile.write(b".")
                request.wfile.flush()
            except OSError:
                return
            time.sleep(0.05)

    site.pages["/b"] = drip
    with pytest.raises(ReadRefused):
        fetch(site.url + "/b", private=ALL_PRIVATE, robots=None, timeout=0.2, limits=FetchLimits(attempts=1))


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("30", 30.0), ("Thu, 01 Jan 1970 00:01:00 GMT", 60.0), ("soon", None), (None, None), ("", None)],
)
def test_retry_after_forms(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, now=0.0) == seconds


def test_paths_file_urls_and_their_limits(tmp_path: Path) -> None:
    (tmp_path / "a b.csv").write_text("model,score\n")
    assert fetch("a b.csv", base=tmp_path).content == b"model,score\n"
    assert fetch(f"file://{tmp_path}/a%20b.csv").content == b"model,score\n"
    for url, options in (
        ("none.csv", {"base": tmp_path}),
        ("file://elsewhere/x", {}),
        (f"{tmp_path}/a b.csv", {"limits": FetchLimits(bytes=3)}),
        ("/dev/zero", {}),
    ):
        with pytest.raises(ReadRefused):
            fetch(url, **options)


@pytest.mark.parametrize("url", ["http://", "http://[", "http://a b/", "https://exa mple/", "http://\x00/"])
def test_nonsense_urls_are_refused(url: str) -> None:
    with pytest.raises(ReadRefused):
        fetch(url, sleep=lambda _: None, limits=FetchLimits(attempts=1))


def test_archive_keeps_bytes_once_and_notices_damage(tmp_path: Path) -> None:
    archive = RawArchive(tmp_path / "raw")
    digest = archive.put(b"page")
    assert archive.put(b"page") == digest
    assert archive.get(digest) == b"page"
    (stored,) = [p for p in (tmp_path / "raw").rglob("*") if p.is_file()]
    stored.write_bytes(gzip.compress(b"other"))
    with pytest.raises(ValueError, match="damaged"):
        archive.get(digest)
    with pytest.raises(KeyError):
        archive.get("../../etc/passwd")
