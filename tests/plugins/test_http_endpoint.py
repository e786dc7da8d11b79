"""Boards and submissions through Airflow's HTTP hook, against a server that listens."""

import json
import time
from dataclasses import replace

import pytest
from tests.fakes import wire

from auto_benchmark.errors import InputError
from auto_benchmark.http.bounds import Bounds
from auto_benchmark.http.errors import AddressRefusedError, TooLargeError, UnreachableError
from auto_benchmark.sources import connection
from auto_benchmark_airflow.hooks.bounded_hook import BoundedHttpHook

pytestmark = pytest.mark.airflow


@pytest.fixture
def connect(server, monkeypatch):
    def to(**fields):
        described = {"conn_type": "http", "host": "127.0.0.1", "port": server.port, **fields}
        monkeypatch.setenv("AIRFLOW_CONN_BOARD", json.dumps(described))
        from auto_benchmark_airflow.hooks.http_endpoint import AirflowConnections

        return replace(AirflowConnections().get("board"), retry=replace(connection.RETRY, sleep=lambda _: None))

    return to


def test_a_password_alone_is_a_bearer_token(connect, server):
    server.body = b'{"entries": []}'
    answer = connect(password="s3cret").get("/api/board")
    assert (answer.status, answer.content, answer.content_type) == (200, b'{"entries": []}', "application/json")
    method, path, headers, _ = server.asked[0]
    assert (method, path, headers["authorization"]) == ("GET", "/api/board", "Bearer s3cret")


def test_login_and_password_are_basic_authentication(connect, server):
    connect(login="me", password="pw").get("board")
    assert server.asked[0][1] == "/board"
    assert server.asked[0][2]["authorization"] == "Basic bWU6cHc="


def test_a_post_carries_json_and_the_idempotency_key(connect, server):
    server.status = 201
    answer = connect(password="t").post("/submissions", {"system": "Ours"}, headers={"Idempotency-Key": "k1"})
    assert answer.status == 201
    _, _, headers, body = server.asked[0]
    assert json.loads(body) == {"system": "Ours"}
    assert headers["idempotency-key"] == "k1"
    assert headers["content-type"] == "application/json"


def test_refusals_are_answers_not_exceptions(connect, server):
    server.status, server.headers = 429, {"Retry-After": "30"}
    answer = connect().get("/board")
    assert (answer.status, answer.headers["retry-after"]) == (429, "30")


def test_proxy_and_tls_settings_come_from_the_connection(connect, server):
    answer = connect(
        extra={"proxies": {"http": f"http://127.0.0.1:{server.port}"}}, host="board.invalid", port=80
    ).get("/x")
    assert answer.status == 200
    assert server.asked[0][1] == "http://board.invalid/x"


def test_nobody_listening_is_worth_another_try(connect):
    with pytest.raises(UnreachableError):
        connect(port=1).get("/board")


def test_an_endless_answer_is_cut_off(connect, server, monkeypatch):
    monkeypatch.setattr(connection, "BOUNDS", Bounds(bytes=1000))
    server.body = b"x" * 100_000
    with pytest.raises(TooLargeError, match="more than 1000 bytes"):
        connect().get("/board")


DRIPS = {
    "a header": (b"HTTP/1.1 200 OK\r\nX: ", b"a"),
    "interim answers": (b"", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"),
    "a redirected body": (b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"a"),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("what", DRIPS)
def test_a_host_that_drips_is_left_at_the_deadline(connect, server, monkeypatch, what):
    monkeypatch.setattr(connection, "BOUNDS", Bounds(silence_s=0.3))
    with wire.served(wire.drip(*DRIPS[what])) as slow:
        if what == "a redirected body":
            server.status, server.headers = 302, {"Location": slow.url}
            endpoint = connect()
        else:
            endpoint = connect(port=int(slow.url.rpartition(":")[2]))
        began = time.monotonic()
        with pytest.raises(UnreachableError, match=r"timed out|complete answer"):
            endpoint.get("/board")
        assert time.monotonic() - began < 3 * 0.9 + 5


def test_redirects_are_followed_without_the_credentials_of_another_host(connect, server):
    with wire.served(wire.whole(b"moved")) as other:
        server.status, server.headers = 302, {"Location": other.url.replace("127.0.0.1", "localhost")}
        assert connect(login="me", password="pw").get("/board").content == b"moved"
    assert "authorization" in server.asked[0][2]
    assert b"authorization" not in other.heads[0].lower()


def test_the_next_of_several_hosts_is_asked_where_the_first_cannot_be_reached(connect, server, monkeypatch):
    targets = [("127.0.0.1", 1), ("127.0.0.1", server.port)]
    monkeypatch.setattr(BoundedHttpHook, "_resolve_srv_targets", lambda self, name: targets)
    assert connect(host="_http._tcp.board.example", port=None, extra={"srv_lookup": True}).get("/x").status == 200
    assert server.asked[0][1] == "/x"


def test_passing_trouble_is_outlasted(connect, server):
    server.status = 503
    server.after = lambda: setattr(server, "status", 200)
    assert connect().get("/board").status == 200
    assert len(server.asked) == 2


def test_an_unknown_connection_is_the_users_mistake():
    from auto_benchmark_airflow.hooks.http_endpoint import AirflowConnections

    with pytest.raises(InputError, match="nowhere"):
        AirflowConnections().get("nowhere")


def test_a_redirect_to_another_private_host_is_refused(connect, server):
    """A Connection names its own host: what that host leads to is not named by it."""
    server.status, server.headers = 302, {"Location": f"http://127.0.0.2:{server.port}/inside"}
    with pytest.raises(AddressRefusedError, match=r"127\.0\.0\.2"):
        connect().get("/board")
    assert [path for _, path, *_ in server.asked] == ["/board"]
