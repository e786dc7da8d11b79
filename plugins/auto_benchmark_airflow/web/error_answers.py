"""Answers that are errors: each says why in one line of text, tells nothing of the inside, and is kept by no cache."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from auto_benchmark.documents import plain
from auto_benchmark.errors import AutoBenchmarkError

NO_STORE = {"Cache-Control": "no-store"}
NO_SNIFF = {"X-Content-Type-Options": "nosniff"}


class ErrorHeaders:
    """ASGI middleware: no answer's type is guessed, and no error is stored, whoever found it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(NO_SNIFF)
                if message["status"] >= 400:
                    headers.update(NO_STORE)
            await send(message)

        await self._app(scope, receive, marked)


def add_error_answers(app: FastAPI) -> None:
    """Answer what the library, the database and FastAPI raise."""
    app.add_exception_handler(AutoBenchmarkError, _refused)
    app.add_exception_handler(SQLAlchemyError, _unavailable)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _failed)


def _refused(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, status_code=409)


def _unavailable(_: Request, error: Exception) -> JSONResponse:
    """No statement and no address of the database leaves the server."""
    return JSONResponse({"detail": f"the project database cannot be read ({type(error).__name__})"}, status_code=503)


def _invalid(_: Request, error: Exception) -> JSONResponse:
    """FastAPI's own answer repeats the input as it came, which JSON cannot always hold (half a sign, infinity)."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    return JSONResponse({"detail": "; ".join(map(_told, found))}, status_code=422)


def _told(item: Any) -> str:
    where, *path = item["loc"]
    if item["type"] == "json_invalid":
        return f"{where}: not valid JSON"
    return f"{'.'.join(map(str, path)) or where}: {plain(item)}"


def _failed(_: Request, error: Exception) -> JSONResponse:
    """The server's log has the traceback. This answer is made outside of every middleware."""
    detail = f"the server failed ({type(error).__name__})"
    return JSONResponse({"detail": detail}, status_code=500, headers={**NO_STORE, **NO_SNIFF})
