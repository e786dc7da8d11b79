"""A local HTTP server that answers like arXiv, OpenReview, Semantic Scholar, OpenAlex and blogs.

Answers are made here, or read from recordings under ``../shared/corpus/research`` where those are present. Faults are
scripted per path prefix: each call uses up one (a status, headers, body), then the real answer comes.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

Reply = tuple[int, Mapping[str, str], bytes]
Handler = Callable[[str, Mapping[str, str]], Reply]


@dataclass
class FakeServices:
    """What the server knows, and what it was asked.

    Attributes:
        routes: path prefix -> handler of (path, query).
        faults: path prefix -> replies that come first, in order.
        asked: every path with its query, in order.
        agents: User-Agent of every call.
    """

    routes: dict[str, Handler] = field(default_factory=dict)
    faults: dict[str, list[Reply]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    url: str = ""

    def answer(self, target: str, agent: str) -> Reply:
        """The reply to one GET."""
        self.asked.append(target)
        self.agents.append(agent)
        parts = urlsplit(target)
        query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        for prefix, replies in self.faults.items():
            if target.startswith(prefix) and replies:
                return replies.pop(0)
        for prefix, handler in self.routes.items():
            if parts.path.startswith(prefix):
                return handler(parts.path, query)
        return 404, {}, b'{"error": "not found"}'


@contextmanager
def served(services: FakeServices) -> Iterator[FakeServices]:
    """Serve on a free loopback port."""

    class _Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = services.answer(self.path, self.headers.get("User-Agent", ""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    services.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield services
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def json_reply(data: Any, status: int = 200) -> Reply:
    """A JSON answer."""
    return status, {"Content-Type": "application/json"}, json.dumps(data).encode()


def arxiv_page(entries: list[Mapping[str, Any]], total: int, start: int) -> bytes:
    """An answer of the arXiv interface."""
    shown = "".join(
        f"<entry><id>http://arxiv.org/abs/{e['id']}</id><title>{escape(e['title'])}</title>"
        f"<updated>{e['date']}T00:00:00Z</updated><published>{e['date']}T00:00:00Z</published>"
        f"<summary>{escape(e.get('summary', 'An abstract.'))}</summary></entry>"
        for e in entries
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom" '
        'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
        f"<opensearch:totalResults>{total}</opensearch:totalResults>"
        f"<opensearch:startIndex>{start}</opensearch:startIndex>{shown}</feed>"
    ).encode()


def arxiv(entries: list[Mapping[str, Any]]) -> Handler:
    """arXiv with these entries, restricted to a date and paged as asked."""

    def answer(_: str, query: Mapping[str, str]) -> Reply:
        since = re.search(r"submittedDate:\[(\d{8})", query.get("search_query", ""))
        found = [e for e in entries if since is None or e["date"].replace("-", "") >= since[1]]
        start, size = int(query.get("start", 0)), int(query.get("max_results", 10))
        page = arxiv_page(found[start : start + size], len(found), start)
        return 200, {"Content-Type": "application/atom+xml"}, page

    return answer


def openreview(notes: list[Mapping[str, Any]]) -> Handler:
    """OpenReview with these notes, filtered and paged as asked."""

    def answer(_: str, query: Mapping[str, str]) -> Reply:
        since = int(query.get("mintcdate", 0))
        found = [n for n in notes if (n.get("tcdate") or n.get("cdate") or 0) >= since]
        offset, limit = int(query.get("offset", 0)), int(query.get("limit", 1000))
        return json_reply({"notes": found[offset : offset + limit], "count": len(found)})

    return answer


def citations(rows: list[Any]) -> Handler:
    """Semantic Scholar's citations of any paper, paged as asked."""

    def answer(_: str, query: Mapping[str, str]) -> Reply:
        offset, limit = int(query.get("offset", 0)), int(query.get("limit", 100))
        page: dict[str, Any] = {"offset": offset, "data": rows[offset : offset + limit]}
        if offset + limit < len(rows):
            page["next"] = offset + limit
        return json_reply(page)

    return answer


def static(body: bytes, media_type: str = "application/rss+xml") -> Handler:
    """Always the same document."""
    return lambda _path, _query: (200, {"Content-Type": media_type}, body)


def eprint(files: Mapping[str, str], links: Mapping[str, str] | None = None) -> bytes:
    """A gzipped tar as arXiv sends it; ``links`` adds symbolic links, name -> target."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, target in (links or {}).items():
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, target
            archive.addfile(link)
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return buffer.getvalue()


def single_file(text: str) -> bytes:
    """An e-print of one gzipped file."""
    return gzip.compress(text.encode())
