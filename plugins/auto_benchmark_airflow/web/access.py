"""What the application must know about the client, and where a request that changes something may come from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from fastapi import HTTPException, Request


@dataclass(frozen=True, slots=True)
class Access:
    """Rights, as the platform grants them.

    Attributes:
        user: who asks; raises HTTPException 401 where no one is logged in.
        may_read: whether the user may see a project.
        may_act: whether the user may start the project's DAG of this name, and so do by hand what it does.
        name: how the user is called in the decision log.
        origins: where the platform itself is served, besides the host that was asked.
    """

    user: Callable[..., Awaitable[Any]]
    may_read: Callable[[str, Any], bool]
    may_act: Callable[[str, str, Any], bool]
    name: Callable[[Any], str]
    origins: frozenset[str] = frozenset()


def require_same_origin(request: Request, origins: frozenset[str]) -> None:
    """Refuse a request that another site's page has sent with this browser's cookie.

    A request that brings a token and no cookie was not sent by a browser on its user's behalf. Beside a cookie,
    ``Authorization`` proves nothing: what is no bearer token there is passed over, and the cookie counts.

    Raises:
        HTTPException: 403.
    """
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    if origin is None:
        allowed = "authorization" in request.headers and "cookie" not in request.headers
    else:
        allowed = origin in origins or _host_of(origin) == request.headers.get("host", "")
    if not allowed or site not in {"same-origin", "none"}:
        raise HTTPException(403, "this request comes from another site")


def _host_of(origin: str) -> str | None:
    """Host and port; None where the header is not an origin (``null``, a damaged address)."""
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None
