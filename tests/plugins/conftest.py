"""Airflow's environment, and a small HTTP server that really listens."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.airflow_home import HOME

assert HOME


class Served:
    """What the server answers next and what it was asked."""

    def __init__(self) -> None:
        self.status, self.body, self.headers = 200, b"{}", {"Content-Type": "application/json"}
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        self.answers: dict[str, bytes] = {}
        """Path -> body, where not every path is answered alike."""
        self.port = 0
        self.after: Callable[[], None] = lambda: None


@pytest.fixture
def server() -> Iterator[Served]:
    served = Served()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            served.asked.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            self.send_response(served.status)
            for name, value in served.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(served.answers.get(self.path.partition("?")[0], served.body))
            served.after()

        do_GET = do_POST = _answer  # noqa: N815 - the names that http.server looks for

        def log_message(self, *_: object) -> None:
            return

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.port = listening.server_address[1]
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    yield served
    listening.shutdown()
    listening.server_close()
