"""What a request may be at all, looked at before any route: a body of bounded size, and no NUL character."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 2**16
"""Bytes. The longest key and the longest reason, every character escaped, take a fifth of it."""


class RequestLimits:
    """ASGI middleware that answers 413 to a larger body and 400 to a NUL in the address.

    No name and no text of the project database can hold a NUL, so that a question with one is odd, not unanswered.
    """

    def __init__(self, app: ASGIApp, largest_body: int = LARGEST_BODY) -> None:
        self._app, self._largest_body = app, largest_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        if "\0" in scope["path"] or b"\0" in unquote_to_bytes(scope["query_string"]):
            return await _refusal(400, "the address holds a NUL character")(scope, receive, send)
        if scope["method"] in {"GET", "HEAD"}:
            return await self._app(scope, receive, send)
        body = await self._body(scope, receive)
        if body is None:
            told = f"the body is larger than {self._largest_body} bytes"
            return await _refusal(413, told)(scope, receive, send)
        return await self._app(scope, _once(body, receive), send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body; None as soon as it is known to be too large."""
        declared = dict(scope["headers"]).get(b"content-length", b"")
        if declared.isdigit() and int(declared[:20]) > self._largest_body:
            return None
        body, is_more = bytearray(), True
        while is_more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
            is_more = message.get("more_body", False)
            if len(body) > self._largest_body:
                return None
        return bytes(body)


def _once(body: bytes, receive: Receive) -> Receive:
    """What hands out a body that was read already, and then whatever comes after it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return messages.pop() if messages else await receive()

    return again


def _refusal(status: int, detail: str) -> JSONResponse:
    return JSONResponse({"detail": detail}, status_code=status)
