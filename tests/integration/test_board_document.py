"""Boards are asked for conditionally and patiently, over a real HTTP server."""

import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import yaml
from tests.toy_project import BEHIND

from auto_benchmark.boards.scrape import fetch_document
from auto_benchmark.db.repositories import snapshots
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.flows import inline
from auto_benchmark.sources.connection import RETRY, HttpConnection, NamedConnections


class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(dict(self.headers))
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        if status == 200 and self.headers.get("If-None-Match") == '"v1"':
            status = 304
        self.send_response(status)
        if status == 200:
            self.send_header("ETag", '"v1"')
            self.send_header("Content-Type", "text/csv")
        self.end_headers()
        if status == 200:
            self.wfile.write(BEHIND.encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    httpd.asked, httpd.statuses = [], []
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    yield httpd
    httpd.shutdown()
    httpd.server_close()


@pytest.fixture
def served(toy, server):
    ctx = toy.ctx
    board = ctx.boards[0].model_copy(update={"conn_id": "here", "url": "/board.csv"})
    registry = ctx.config.registry.model_copy(update={"target_leaderboards": [board]})
    at_once = replace(RETRY, sleep=lambda _: None)
    connections = NamedConnections({"here": HttpConnection(f"http://127.0.0.1:{server.server_port}", retry=at_once)})
    return replace(ctx, config=replace(ctx.config, registry=registry), connections=connections)


def test_an_unchanged_board_is_not_sent_again_and_stays_fresh(served, server):
    inline.scrape(served)
    told = inline.scrape(served)["boards"][0]
    assert (told["status"], told["changed"]) == ("ok", False)
    assert "If-None-Match" not in server.asked[0] and server.asked[1]["If-None-Match"] == '"v1"'
    with served.sessions() as session:
        latest = snapshots.latest(session=session, project=served.project, board="ToyBoard")
    assert latest.last_seen_at > latest.fetched_at and len(latest.entries) == 3


def test_passing_trouble_is_outlasted_and_lasting_trouble_is_told(served, server):
    server.statuses = [503, 429]
    assert fetch_document(served, served.boards[0]).content == BEHIND.encode()
    server.statuses = [500] * 5
    with pytest.raises(AutoBenchmarkError, match="HTTP 500"):
        fetch_document(served, served.boards[0])
    server.statuses = [404]
    before = len(server.asked)
    with pytest.raises(AutoBenchmarkError, match="HTTP 404"):
        fetch_document(served, served.boards[0])
    assert len(server.asked) == before + 1, "what will not pass is not tried again"


def test_a_competitor_under_a_declared_alias_is_followed_under_its_name(toy):
    ctx, said, page = toy.ctx, toy.said, toy.board
    board = ctx.boards[0].model_copy(update={"aliases": {"Leader": ["Leader v2 (ACME)"]}})
    registry = ctx.config.registry.model_copy(update={"target_leaderboards": [board]})
    ctx = replace(ctx, config=replace(ctx.config, registry=registry))
    inline.scrape(ctx)
    page.write_text(BEHIND.replace("Leader,0.90", "Leader v2 (ACME),0.93\nLEADER V2 (ACME),0.92"))
    inline.scrape(ctx)
    assert "[ALERT] Leader v2 (ACME) improved on ToyBoard: 0.90 → 0.93 (+0.03)" in said
    assert not any("withdrawn" in line or "Leader left" in line for line in said)
    live = yaml.safe_load((ctx.home / "competitive_registry.yaml").read_text())
    assert [(c["name"], c["latest_score"]) for c in live["competitors"]] == [("Leader", 0.93), ("Last", 0.5)]
