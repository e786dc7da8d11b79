"""Whatever a server does, a call ends at its deadline and takes no more bytes than it may."""

from __future__ import annotations

import gzip
import socket
import threading
import time
import tracemalloc
import zlib

import pytest
from tests.fakes.wire import at_once, drip, served, whole

from auto_benchmark.addresses import shown
from auto_benchmark.http.answer import Answer
from auto_benchmark.http.bounds import Bounds
from auto_benchmark.http.client import call
from auto_benchmark.http.errors import AddressRefusedError, BadRequestError, TooLargeError, UnreachableError
from auto_benchmark.http.request import Request, Route
from auto_benchmark.http.stream import HEAD_BYTES
from auto_benchmark.private_hosts import ALL_PRIVATE

pytestmark = pytest.mark.timeout(60)
SECONDS, LIMIT, LATE = 0.6, 2**16, 3.0
"""Deadline, bytes, and how late a busy machine may be."""
MEBIBYTE = 2**20
OK = b"HTTP/1.1 200 OK\r\n"
GZIP = OK + b"Content-Encoding: gzip\r\n"
GZIP_NAME = b"\x1f\x8b\x08\x08\0\0\0\0\0\x03"
"""Begins a gzip stream whose file name follows, up to a zero byte: no byte of content before that."""


def ask(url: str, *, method: str = "GET", content: bytes | None = None, **bounds: float) -> Answer:
    limits = Bounds(**{"silence_s": 0.4, "seconds": SECONDS, "bytes": LIMIT, **bounds})  # type: ignore[arg-type]
    return call(Request(method, url, content=content), limits, Route(private=ALL_PRIVATE))


def took_no_longer(began: float, seconds: float = SECONDS) -> bool:
    return time.monotonic() - began < seconds + LATE


ENDLESS = {
    "a status line": (b"", b"H"),
    "a header": (OK + b"X-Slow: ", b"a"),
    "headers": (OK, b"X: y\r\n"),
    "interim answers": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"),
    "a body": (OK + b"Content-Length: 1000\r\n\r\n", b"a"),
    "a body without length": (OK + b"\r\n", b"a"),
    "chunks": (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    "the extension of a chunk": (OK + b"Transfer-Encoding: chunked\r\n\r\n1;x=", b"a"),
    "trailers": (OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n", b"X: y\r\n"),
    "a name in gzip": (GZIP + b"Transfer-Encoding: chunked\r\n\r\na\r\n" + GZIP_NAME + b"\r\n", b"1\r\na\r\n"),
}


@pytest.mark.parametrize(("start", "piece"), ENDLESS.values(), ids=ENDLESS.keys())
def test_what_drips_without_end_ends_at_the_deadline(start: bytes, piece: bytes) -> None:
    with served(drip(start, piece)) as wire:
        began = time.monotonic()
        with pytest.raises(UnreachableError):
            ask(wire.url)
        assert took_no_longer(began)


def flood(start: bytes, block: bytes):
    def talk(client: socket.socket, ended: threading.Event) -> None:
        client.sendall(start)
        while not ended.is_set():
            client.sendall(block)

    return talk


FLOODS = {
    "a header": (OK + b"X: ", b"a" * 2**14),
    "headers": (OK, b"X: y\r\n" * 2**11),
    "interim answers": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 2**9),
    "a body": (OK + b"\r\n", b"a" * 2**14),
    "chunks of one byte": (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n" * 2**11),
    "a name in gzip": (GZIP + b"\r\n" + GZIP_NAME, b"a" * 2**14),
    "empty gzip members": (GZIP + b"\r\n", gzip.compress(b"") * 2**9),
}


@pytest.mark.parametrize(("start", "block"), FLOODS.values(), ids=FLOODS.keys())
def test_what_floods_without_end_is_left_at_its_limit(start: bytes, block: bytes) -> None:
    """By the limit of bytes, or by the deadline where so little comes in so many pieces that it takes longer."""
    with served(flood(start, block)) as wire:
        began = time.monotonic()
        with pytest.raises((TooLargeError, UnreachableError)):
            ask(wire.url)
        assert took_no_longer(began)
        tracemalloc.start()
        try:
            with pytest.raises((TooLargeError, UnreachableError)):
                ask(wire.url)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 3 * (LIMIT + HEAD_BYTES)


@pytest.mark.parametrize("what", ["interim answers", "a body", "a name in gzip"])
def test_bytes_count_as_they_come_over_the_wire(what: str) -> None:
    with served(flood(*FLOODS[what])) as wire, pytest.raises(TooLargeError):
        ask(wire.url, seconds=30.0, silence_s=30.0)


def test_a_server_that_says_nothing_is_left_after_the_longest_silence() -> None:
    with served(lambda client, ended: ended.wait()) as wire:
        began = time.monotonic()
        with pytest.raises(UnreachableError):
            ask(wire.url, silence_s=0.3, seconds=60.0)
        assert took_no_longer(began, 0.3)


@pytest.mark.parametrize("talk", [lambda client, ended: ended.wait(), drip(b"\x16\x03\x03\xff\xff", b"\0")])
def test_a_handshake_that_never_ends_ends_too(talk) -> None:
    with served(talk, hears=False) as wire:
        began = time.monotonic()
        with pytest.raises(UnreachableError):
            ask(wire.url.replace("http:", "https:"), silence_s=5.0)
        assert took_no_longer(began)


def test_a_server_that_does_not_take_the_request_is_left_at_the_deadline() -> None:
    with served(lambda client, ended: ended.wait(), hears=False) as wire:
        began = time.monotonic()
        with pytest.raises(UnreachableError):
            ask(wire.url, method="POST", content=bytes(32 * MEBIBYTE))
        assert took_no_longer(began)


def test_a_name_that_is_not_resolved_in_time_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    forever = threading.Event()
    monkeypatch.setattr("socket.getaddrinfo", lambda *a, **k: [forever.wait()] * 0)
    began = time.monotonic()
    with pytest.raises(UnreachableError, match="not resolved within"):
        ask("http://slow.example/")
    assert took_no_longer(began)
    forever.set()


@pytest.mark.parametrize("layers", [1, 2, 3, 4])
def test_what_unpacks_to_too_much_is_refused_before_it_is_unpacked(layers: int) -> None:
    packed = bytes(48 * MEBIBYTE)
    for _ in range(layers):
        packed = gzip.compress(packed)
    with served(whole(packed, "Content-Encoding: " + ", ".join(["gzip"] * layers))) as wire:
        tracemalloc.start()
        try:
            with pytest.raises(TooLargeError):
                ask(wire.url, seconds=20.0, silence_s=5.0)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 2 * MEBIBYTE


def test_a_length_that_is_too_large_is_refused_before_the_body_comes() -> None:
    talk = drip(OK + b"Content-Length: 99999999999\r\n\r\n", b"a")
    with served(talk) as wire, pytest.raises(TooLargeError, match="99999999999 bytes, more than 65536"):
        ask(wire.url)


BODY = b"system,accuracy\n" + bytes(range(256)) * 200
DEFLATE = zlib.compressobj(wbits=-15)
PACKED = {
    "plain": ("identity", BODY),
    "gzip": ("gzip", gzip.compress(BODY)),
    "x-gzip": ("X-GZip", gzip.compress(BODY)),
    "several members": ("gzip", gzip.compress(BODY[:100]) + gzip.compress(BODY[100:])),
    "zeros behind gzip": ("gzip", gzip.compress(BODY) + bytes(1000)),
    "zlib": ("deflate", zlib.compress(BODY)),
    "bare deflate": ("deflate", DEFLATE.compress(BODY) + DEFLATE.flush()),
    "twice": ("deflate, gzip", gzip.compress(zlib.compress(BODY))),
    "a charset as coding": ("utf-8", BODY),
}


@pytest.mark.parametrize(("coding", "packed"), PACKED.values(), ids=PACKED.keys())
@pytest.mark.parametrize("at_a_time", [1, 997, 2**16])
def test_bodies_are_unpacked_however_they_are_cut(coding: str, packed: bytes, at_a_time: int) -> None:
    pieces = [packed[i : i + at_a_time] for i in range(0, len(packed), at_a_time)] if at_a_time > 1 else [packed]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    head = OK + b"Content-Encoding: %s\r\nTransfer-Encoding: chunked\r\n\r\n" % coding.encode()
    with served(at_once(head + chunks)) as wire:
        assert ask(wire.url, seconds=20.0, silence_s=5.0).content == BODY


def test_members_cut_between_each_other_are_one_body() -> None:
    from auto_benchmark.http.body import unpacked

    members = [gzip.compress(BODY[:100]), gzip.compress(BODY[100:])]
    assert unpacked(members, "gzip", 2**20) == BODY
    assert unpacked([bytes([b]) for b in b"".join(members)], "gzip", 2**20) == BODY


@pytest.mark.parametrize("packed", [gzip.compress(BODY)[:-20], b"no gzip at all", zlib.compress(BODY)])
def test_damaged_bodies_are_no_answer(packed: bytes) -> None:
    with served(whole(packed, "Content-Encoding: gzip")) as wire, pytest.raises(UnreachableError):
        ask(wire.url, seconds=20.0)


def test_a_body_that_breaks_off_is_no_answer() -> None:
    with served(at_once(OK + b"Content-Length: 100\r\n\r\nhalf")) as wire, pytest.raises(UnreachableError):
        ask(wire.url)


def test_answers_are_whole_and_their_headers_found_in_lower_case() -> None:
    with served(whole(b"x", "ETag: v1", "X-A: 1", "x-a: 2")) as wire:
        answer = ask(wire.url)
    assert (answer.status, answer.content, answer.headers["etag"]) == (200, b"x", "v1")
    assert answer.headers["x-a"] == "1, 2"


@pytest.mark.parametrize("url", ["gopher://x/", "http://ex\x00ample/", "http://1.2.3.4.5:80x/", "/x"])
def test_what_cannot_be_asked_for_is_not_tried(url: str) -> None:
    with pytest.raises(BadRequestError):
        ask(url)


def test_a_header_that_is_not_ascii_is_not_sent_and_not_shown() -> None:
    with pytest.raises(BadRequestError) as caught:
        call(Request("GET", "http://127.0.0.1:9/", {"Authorization": "Bearer geheim-ü"}), Bounds(), Route())
    assert "geheim" not in str(caught.value)


def test_the_guard_looks_at_every_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resolver that answers differently each time gains nothing: what was checked is what is dialled."""
    answers = iter(["93.184.215.14", "127.0.0.1"])
    dialled: list[str] = []

    def resolver(host: str, port: int, *_: object, **__: object) -> list[object]:
        return [(2, 1, 6, "", (next(answers), port))]

    def dial(address: tuple[str, int], *_: object, **__: object) -> None:
        dialled.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr("socket.getaddrinfo", resolver)
    monkeypatch.setattr("socket.create_connection", dial)
    with pytest.raises(UnreachableError):
        call(Request("GET", "http://rebinding.example/"), Bounds(), Route())
    with pytest.raises(AddressRefusedError, match=r"127\.0\.0\.1"):
        call(Request("GET", "http://rebinding.example/"), Bounds(), Route())
    assert dialled == ["93.184.215.14"]


def test_messages_show_no_password() -> None:
    assert shown("https://me:secret@example.org/a@b?c=d") == "https://***@example.org/a@b?c=***"
    assert shown("http://example.org\r\nX: y") == "http://example.org\ufffd\ufffdX: y"
