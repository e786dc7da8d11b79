"""A local Slack that refuses what Slack refuses: its limits, its rate, unknown threads and channels.

It speaks ``chat.postMessage``, ``conversations.history`` and ``conversations.replies``. Limits of Block Kit: 50 blocks
a message, 3,000 characters a section, 150 a header, 10 fields of 2,000; no empty text. Posting: about one message a
second and channel, with a small burst, else 429 with ``Retry-After``.
"""

from __future__ import annotations

import json
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

TEXT_LIMIT = 40_000
BODY_LIMIT = 1_000_000
RAW_ENTITY = re.compile(r"&(?!(?:amp|lt|gt);)")
RAW_LINK = re.compile(r"<[^>]*>?")


@dataclass
class FakeSlack:
    """What was posted, and what Slack does next.

    Attributes:
        clock: seconds; the rate limit counts by it.
        channels: those that the token may post to.
        burst: posts to a channel at once, before one a second.
        retry_after: what a 429 asks for, in seconds.
        faults: what the next calls meet: ``down`` (no answer), ``lost`` (done, but the answer is lost), an HTTP
            status or an error's name.
        posted: every message, in order: ``{"channel", "ts", "thread_ts", "text", "blocks", "metadata"}``.
        refused: (error, body) of every refused post.
        live: links and mentions that Slack would have made of a text.
    """

    clock: Callable[[], float]
    token: str = "xoxb-test"
    channels: set[str] = field(default_factory=lambda: {"#alerts"})
    burst: int = 4
    retry_after: int = 5
    scopes: set[str] = field(default_factory=lambda: {"chat:write", "channels:history"})
    faults: list[str | int] = field(default_factory=list)
    posted: list[dict[str, Any]] = field(default_factory=list)
    refused: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    live: list[str] = field(default_factory=list)
    calls: int = 0
    url: str = ""
    _times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def answer(self, method: str, body: dict[str, Any], token: str) -> tuple[int, dict[str, str], dict[str, Any]]:
        """Status, headers and document of one call."""
        self.calls += 1
        if token != f"Bearer {self.token}":
            return 200, {}, {"ok": False, "error": "invalid_auth"}
        if method == "chat.postMessage":
            return self._post(body)
        if "channels:history" not in self.scopes:
            return 200, {}, {"ok": False, "error": "missing_scope"}
        here = [m for m in self.posted if m["channel"] == body.get("channel")]
        thread = body.get("ts")
        if method == "conversations.replies":
            here = [m for m in here if thread in {m["ts"], m["thread_ts"]}]
        elif method == "conversations.history":
            here = [m for m in here if m["thread_ts"] is None]
        else:
            return 200, {}, {"ok": False, "error": "unknown_method"}
        return 200, {}, {"ok": True, "messages": here[::-1]}

    def _post(self, body: dict[str, Any]) -> tuple[int, dict[str, str], dict[str, Any]]:
        channel, now = str(body.get("channel")), self.clock()
        if channel not in self.channels:
            return self._refuse("channel_not_found", body)
        times = self._times[channel] = [t for t in self._times[channel] if t > now - self.burst]
        if len(times) >= self.burst:
            return 429, {"Retry-After": str(self.retry_after)}, {"ok": False, "error": "ratelimited"}
        thread = body.get("thread_ts")
        if thread is not None and not any(m["ts"] == thread and m["channel"] == channel for m in self.posted):
            return self._refuse("thread_not_found", body)
        if error := fault_of(body):
            return self._refuse(error, body)
        times.append(now)
        self.live += live_markup(body)
        ts = f"{int(now)}.{len(self.posted):06d}"
        kept = {name: body.get(name) for name in ("channel", "thread_ts", "text", "blocks", "metadata")}
        self.posted.append({**kept, "ts": ts})
        return 200, {}, {"ok": True, "channel": channel, "ts": ts}

    def _refuse(self, error: str, body: dict[str, Any]) -> tuple[int, dict[str, str], dict[str, Any]]:
        self.refused.append((error, body))
        return 200, {}, {"ok": False, "error": error}


def fault_of(body: dict[str, Any]) -> str | None:
    """The name of Slack's refusal, or None for a message that it takes."""
    text, blocks = body.get("text") or "", body.get("blocks")
    if len(json.dumps(body)) > BODY_LIMIT or len(text) > TEXT_LIMIT:
        return "msg_too_long"
    if blocks is None:
        return None if text.strip() else "no_text"
    if not isinstance(blocks, list) or not 0 < len(blocks) <= 50:
        return "invalid_blocks"
    return None if all(_is_valid(block) for block in blocks) else "invalid_blocks"


def _is_valid(block: dict[str, Any]) -> bool:
    kind = block.get("type")
    if kind == "header":
        text = block.get("text", {})
        return text.get("type") == "plain_text" and 0 < len(text.get("text", "")) <= 150
    if kind == "section":
        fields = block.get("fields", [])
        texts = [block["text"]] if "text" in block else []
        fits = all(0 < len(t.get("text", "")) <= 3000 and t.get("type") in {"mrkdwn", "plain_text"} for t in texts)
        return (
            bool(texts or fields) and fits and len(fields) <= 10 and all(0 < len(f["text"]) <= 2000 for f in fields)
        )
    if kind == "context":
        return 0 < len(block.get("elements", [])) <= 10
    return kind == "divider"


def live_markup(body: dict[str, Any]) -> list[str]:
    """Links, mentions and broken entities in the texts of a message: what escaping should have left as text."""
    texts = [body.get("text") or ""]
    texts += [block["text"]["text"] for block in body.get("blocks") or [] if "text" in block]
    return [found for text in texts for found in [*RAW_LINK.findall(text), *RAW_ENTITY.findall(text)]]


@contextmanager
def served(slack: FakeSlack) -> Iterator[FakeSlack]:
    """Serve on a free loopback port."""

    class _Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            is_json = "json" in self.headers.get("Content-Type", "")
            body = json.loads(raw) if is_json else {k: v[-1] for k, v in parse_qs(raw.decode()).items()}
            fault = slack.faults.pop(0) if slack.faults else None
            if fault == "down":
                self.close_connection = True
                return None
            if isinstance(fault, int):
                return self._send(fault, {}, {"ok": False, "error": "fatal_error"})
            if fault not in {None, "lost"}:
                return self._send(200, {}, {"ok": False, "error": fault})
            done = slack.answer(self.path.rpartition("/")[2], body, self.headers.get("Authorization", ""))
            if fault == "lost":
                self.close_connection = True
                return None
            return self._send(*done)

        def _send(self, status: int, headers: dict[str, str], document: dict[str, Any]) -> None:
            content = json.dumps(document).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Type": "application/json"}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    slack.url = f"http://127.0.0.1:{server.server_address[1]}/api"
    try:
        yield slack
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
