"""Redirects: how many, where to, and what does not go along."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import urljoin, urlsplit

from auto_benchmark.addresses import shown
from auto_benchmark.http.answer import Answer
from auto_benchmark.http.errors import BadRequestError, RedirectRefusedError, RedirectsEndlessError

REDIRECTS = frozenset({301, 302, 303, 307, 308})
MOST = 5
PRIVATE = frozenset({"authorization", "cookie"})
"""Headers for the first host only."""


def follow(
    url: str, headers: Mapping[str, str], get: Callable[[str, Mapping[str, str]], Answer], *, most: int = MOST
) -> tuple[str, Answer]:
    """GET a URL and what it redirects to.

    Args:
        url: http(s).
        headers: of the request; credentials are left out as soon as scheme, host or port changes.
        get: one GET that follows nothing.
        most: hops.

    Returns:
        Where the answer came from, and the answer.

    Raises:
        RedirectRefusedError: to something that is not http(s).
        RedirectsEndlessError: more than ``most``.
        BadRequestError: to something that is no URL.
    """
    first = url
    for _ in range(most + 1):
        answer = get(url, headers)
        location = answer.headers.get("location")
        if answer.status not in REDIRECTS or not location:
            return url, answer
        try:
            target = urljoin(url, location)
            here, there = urlsplit(url), urlsplit(target)
        except ValueError as error:
            raise BadRequestError(
                f"{shown(url)} redirects to {shown(location)[:100]!r}, which is not a URL: {error}"
            ) from None
        if there.scheme.lower() not in {"http", "https"}:
            raise RedirectRefusedError(f"{shown(url)} redirects to {shown(target)[:100]}, which is not http(s)")
        if here[:2] != there[:2]:
            headers = {name: value for name, value in headers.items() if name.lower() not in PRIVATE}
        url = target
    raise RedirectsEndlessError(f"{shown(first)} redirects more than {most} times")
