"""One GET, as those who read pages need it; httpx is imported when it is first called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from auto_benchmark.http.answer import Answer
from auto_benchmark.http.bounds import Bounds
from auto_benchmark.http.request import Request, Route
from auto_benchmark.private_hosts import NO_PRIVATE, PrivateHosts


class Opener(Protocol):
    """Does one GET without following redirects."""

    def __call__(self, url: str, headers: Mapping[str, str], bounds: Bounds) -> Answer:
        """Answer to a GET.

        Raises:
            UnreachableError: no answer (worth another try).
            CallRefusedError: not allowed or too large (not worth it).
        """


def http_opener(private: PrivateHosts = NO_PRIVATE) -> Opener:
    """An opener that connects to public addresses only, except for hosts that may be private."""
    route = Route(private=private)

    def open_url(url: str, headers: Mapping[str, str], bounds: Bounds) -> Answer:
        from auto_benchmark.http.client import call

        return call(Request("GET", url, headers), bounds, route)

    return open_url
