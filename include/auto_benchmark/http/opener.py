"""One GET, as those who read pages need it; httpx is imported when it is first called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from auto_benchmark.http.answer import Answer
from auto_benchmark.http.bounds import Bounds
from auto_benchmark.http.request import Request, Route


class Opener(Protocol):
    """Does one GET without following redirects."""

    def __call__(self, url: str, headers: Mapping[str, str], bounds: Bounds) -> Answer:
        """Answer to a GET.

        Raises:
            UnreachableError: no answer (worth another try).
            CallRefusedError: not allowed or too large (not worth it).
        """


def http_opener(*, allow_private: bool) -> Opener:
    """An opener that connects to public addresses only, unless private ones are allowed."""
    route = Route(allow_private=allow_private)

    def open_url(url: str, headers: Mapping[str, str], bounds: Bounds) -> Answer:
        from auto_benchmark.http.client import call

        return call(Request("GET", url, headers), bounds, route)

    return open_url
