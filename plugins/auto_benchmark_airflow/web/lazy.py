"""An ASGI application that is imported when the first request comes.

Every Airflow process imports the plugin, and only the API server ever serves it: FastAPI's part of Airflow alone
costs seconds.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from importlib import import_module
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class LazyASGI:
    """Calls ``module:attribute``; it gets no lifespan events."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._app: Callable[[Scope, Receive, Send], Awaitable[None]] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if self._app is None:
            module, _, name = self._path.partition(":")
            self._app = getattr(import_module(module), name)()
        await self._app(scope, receive, send)
