"""An OpenAI-compatible endpoint on loopback that says what a script tells it, and misbehaves as one asks."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Said = str | Callable[[dict[str, Any]], str]
"""A message, or what makes it from the question."""


@dataclass
class FakeModel:
    """What the endpoint says, in order, and what it was asked.

    Attributes:
        says: messages; when they have run out, the last one is said again.
        bodies: whole answers that come first, as bytes, whatever was asked.
        status: of every answer.
        headers: of every answer, beside the usual ones.
        usage: reported with every message; None leaves it out.
        stalls_s: how long nothing is sent.
        asked: bodies of all questions.
        keys: values of the header Authorization.
    """

    says: list[Said] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    usage: Any = field(default_factory=lambda: {"total_tokens": 1000})
    stalls_s: float = 0.0
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    url: str = ""
    ended: threading.Event = field(default_factory=threading.Event)

    def answer(self, question: dict[str, Any]) -> bytes:
        """The body of one answer."""
        self.asked.append(question)
        if self.stalls_s:
            self.ended.wait(self.stalls_s)
        if self.bodies:
            return self.bodies.pop(0)
        said = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        content = said if isinstance(said, str) else said(question)
        told: dict[str, Any] = {"choices": [{"message": {"role": "assistant", "content": content}}]}
        return json.dumps(told | ({} if self.usage is None else {"usage": self.usage})).encode()


@contextmanager
def served(model: FakeModel) -> Iterator[FakeModel]:
    """Serve on a free loopback port."""

    class _Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.keys.append(self.headers.get("Authorization"))
            found = self.path == "/v1/chat/completions"
            body = model.answer(question) if found else b"{}"
            with contextlib.suppress(OSError):  # whoever asked may have gone
                self.send_response(model.status if found else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                for name, value in model.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield model
    finally:
        model.ended.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
