"""A plain loopback GET. The guarded client loads certificates for each call, which a hundred tests need not do."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from urllib.parse import urlsplit

from auto_benchmark.sources.fetch import Answer


def loopback(url: str, headers: Mapping[str, str], *, timeout: float, limit: int) -> Answer:
    """Answer to a GET on this machine."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=timeout)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}" if parts.query else parts.path, headers=dict(headers))
        reply = connection.getresponse()
        return Answer(reply.status, dict(reply.getheaders()), reply.read(limit))
    except OSError as error:
        raise ConnectionError(str(error)) from None
    finally:
        connection.close()
