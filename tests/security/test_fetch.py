"""One deadline and one limit of bytes hold for everything that a host does, and private addresses stay private."""

from __future__ import annotations

import gzip
import queue
import socket
import threading
import tracemalloc
from pathlib import Path

import pytest
import yaml
from tests.fakes.wire import at_once, drip, served

from auto_benchmark.http.address import is_public
from auto_benchmark.private_hosts import ALL_PRIVATE, PrivateHosts
from auto_benchmark.sources.fetch import FetchLimits, fetch
from auto_benchmark.tables.refusal import ReadRefused, Reason

pytestmark = pytest.mark.timeout(60)
SECONDS = 0.5
MEBIBYTE = 2**20
GZIP_NAME = b"\x1f\x8b\x08\x08\0\0\0\0\0\x03"
"""Begins a gzip stream whose file name follows, up to a zero byte: no byte of content before that."""


def refusal(url: str, *, size: int = MEBIBYTE, patience_s: float = 2 * SECONDS) -> ReadRefused:
    """Why a document is refused. AssertionError where it is not, or where nothing is said in time."""
    said: queue.Queue[object] = queue.Queue()

    def ask() -> None:
        limits = FetchLimits(seconds=SECONDS, attempts=1, bytes=size)
        try:
            said.put(fetch(url, private=ALL_PRIVATE, timeout=SECONDS / 2, limits=limits, robots=None))
        except Exception as error:
            said.put(error)

    threading.Thread(target=ask, daemon=True).start()
    try:
        found = said.get(timeout=SECONDS + patience_s)
    except queue.Empty:
        raise AssertionError(f"still waiting {patience_s:g} s after the deadline of {SECONDS:g} s") from None
    assert isinstance(found, ReadRefused), found
    return found


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a"),
        (b"", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"a\r\n" + GZIP_NAME + b"\r\n",
            b"1\r\na\r\n",
        ),
    ],
    ids=["a header", "interim answers", "the name in a gzip stream"],
)
def test_a_host_that_never_ends_is_left_at_the_deadline(start, piece):
    with served(drip(start, piece)) as server:
        assert refusal(server.url).reason_code is Reason.UNREACHABLE


def test_a_body_that_never_ends_is_left_at_the_deadline():
    with served(drip(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"a")) as server:
        assert refusal(server.url).reason_code is Reason.UNREACHABLE


def test_bytes_count_as_they_come_over_the_wire():
    sent = 0

    def flood(client: socket.socket, ended: threading.Event) -> None:
        nonlocal sent
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + GZIP_NAME)
        while not ended.is_set() and sent < 24 * MEBIBYTE:
            client.sendall(b"a" * MEBIBYTE)
            sent += MEBIBYTE

    with served(flood) as server:
        found = refusal(server.url)
    assert sent < 12 * MEBIBYTE, f"took {sent} bytes of a document that may have {MEBIBYTE}"
    assert found.reason_code is Reason.TOO_LARGE


@pytest.mark.parametrize("layers", [1, 2])
def test_a_document_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(layers):
    packed = bytes(48 * MEBIBYTE)
    for _ in range(layers):
        packed = gzip.compress(packed)
    coding = b", ".join([b"gzip"] * layers)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (coding, len(packed))
    with served(at_once(head + packed)) as server:
        tracemalloc.start()
        try:
            found = refusal(server.url, patience_s=8)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert found.reason_code is Reason.TOO_LARGE
    assert peak < 16 * MEBIBYTE, f"{peak} bytes of memory for a document that may have {MEBIBYTE}"


@pytest.mark.parametrize(
    "address",
    ["64:ff9b:1::7f00:1", "64:ff9b:1:a::a9fe:a9fe", "fec0::1", "::127.0.0.1", "192.0.0.8", "192.88.99.1",
     "::ffff:192.0.0.8", "2002:c058:6301::1", "3fff::1", "5f00::1", "200::1", "400::1", "8000::1", "168.63.129.16"],
)  # fmt: skip
def test_an_address_that_may_lead_inside_is_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "169.254.169.254", "100.64.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
     "fe80::1%eth0", "fc00::1", "224.0.0.1", "ff02::1"],
)  # fmt: skip
def test_other_addresses_inside_are_not_public(address):
    assert not is_public(address)


def test_the_compose_file_leaves_the_guard_of_private_addresses_on():
    file = Path(__file__).resolve().parents[2] / "docker-compose.yaml"
    services = yaml.safe_load(file.read_text())["services"]
    told = {name: service.get("environment", {}) for name, service in services.items()}
    assert {name for name, e in told.items() if "AUTO_BENCHMARK_ALLOW_PRIVATE_ADDRESSES" in e} == set()
    named = {str(e.get("AUTO_BENCHMARK_ALLOW_PRIVATE_HOSTS", "")) for e in told.values()}
    assert named <= {"", "${ALLOW_PRIVATE_HOSTS:-}"}, "arena and MLflow are reached by Connection and by setting"


def test_a_named_host_is_no_way_to_another_one_inside():
    """A redirect, or a second name, of a host that may be private."""
    with served(at_once(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")) as inside:
        target = inside.url.replace("127.0.0.1", "localhost")
        moved = b"HTTP/1.1 302 Found\r\nLocation: %s/\r\nContent-Length: 0\r\n\r\n" % inside.url.encode()
        with served(at_once(moved)) as first:
            named = first.url.replace("127.0.0.1", "localhost")
            with pytest.raises(ReadRefused) as refused:
                fetch(named, private=PrivateHosts.of(["localhost"]), limits=FetchLimits(attempts=1), robots=None)
        assert refused.value.reason_code is Reason.NOT_ALLOWED
        assert fetch(target, private=PrivateHosts.of(["localhost"]), robots=None).content == b"ok"
