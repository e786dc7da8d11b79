"""A plain loopback GET. The guarded client loads certificates for each call, which a hundred tests need not do."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from urllib.parse import urlsplit

from auto_benchmark.http.answer import Answer
from auto_benchmark.http.bounds import Bounds
from auto_benchmark.http.errors import UnreachableError


def loopback(url: str, headers: Mapping[str, str], bounds: Bounds) -> Answer:
    """Answer to a GET on this machine."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=min(bounds.silence_s, bounds.seconds))
    try:
        connection.request("GET", f"{parts.path}?{parts.query}" if parts.query else parts.path, headers=dict(headers))
        reply = connection.getresponse()
        return Answer(reply.status, reply.read(bounds.bytes), dict(reply.getheaders()))
    except OSError as error:
        raise UnreachableError(str(error)) from None
    finally:
        connection.close()
