"""The arena over HTTP."""

from __future__ import annotations

import hmac
import re
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse

from arena import pages
from arena.arena_state import Arena, QuotaError, ReusedKeyError
from arena.declaration import Board
from arena.submission_body import KEY_PATTERN, LARGEST_BODY_BYTES, BodyError, read_body

CREATING_RETRY_S = "2"


def make_app(arena: Arena, *, on_fault: Callable[[], None] = lambda: None) -> FastAPI:
    """The application of one arena.

    Args:
        arena: created in the background once the application starts; until then boards answer 503.
        on_fault: called when it could not be created.
    """

    def create() -> None:
        arena.create()
        if arena.fault:
            on_fault()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        threading.Thread(target=create, name="create", daemon=True).start()
        yield

    app = FastAPI(title="Arena", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.arena = arena
    _add_health(app, arena)
    _add_reading(app, arena)
    _add_submitting(app, arena)
    return app


def _board(request: Request, board: str) -> Board:
    """The board that a path names. 404 when there is none, 503 while the arena is being created."""
    arena: Arena = request.app.state.arena
    if board not in arena.declaration.boards:
        raise HTTPException(404, f"no board is called {board!r}")
    if not arena.ready.is_set():
        raise HTTPException(503, arena.fault or "the arena is being created", {"Retry-After": CREATING_RETRY_S})
    return arena.declaration.boards[board]


def _authorised(request: Request) -> None:
    """401 without the arena's token."""
    arena: Arena = request.app.state.arena
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), arena.token.encode()):
        raise HTTPException(401, "a valid bearer token is required", {"WWW-Authenticate": "Bearer"})


OnBoard = Annotated[Board, Depends(_board)]


def _add_health(app: FastAPI, arena: Arena) -> None:
    @app.get("/healthz")
    def healthz() -> JSONResponse:
        """200 once every competitor has a score."""
        if arena.fault:
            return JSONResponse({"status": "failed", "message": arena.fault}, 500)
        if not arena.ready.is_set():
            done = len(arena.store.runs())
            return JSONResponse({"status": "creating", "runs": done}, 503, {"Retry-After": CREATING_RETRY_S})
        return JSONResponse({"status": "ok", "boards": sorted(arena.declaration.boards)})


def _add_reading(app: FastAPI, arena: Arena) -> None:
    @app.get("/")
    def index() -> HTMLResponse:
        """Links to the boards."""
        return HTMLResponse(pages.index(list(arena.declaration.boards.values())))

    @app.get("/boards/{board}")
    def table(board: OnBoard) -> HTMLResponse:
        """The board as an HTML table."""
        entries, _ = arena.standings(board)
        return HTMLResponse(pages.html(board, arena.declaration.metric(board)[0], entries))

    @app.get("/boards/{board}/changes.rss")
    def changes(board: OnBoard, request: Request) -> Response:
        """The board's history as a feed."""
        metric, _ = arena.declaration.metric(board)
        _, found = arena.standings(board)
        feed = pages.rss(board, metric, found, str(request.base_url), arena.clock())
        return Response(feed, media_type="application/rss+xml")

    @app.get("/api/boards/{board}")
    def as_json(board: OnBoard) -> dict[str, Any]:
        """The board as JSON."""
        metric, higher_is_better = arena.declaration.metric(board)
        entries, found = arena.standings(board)
        return {
            "board": board.board,
            "metric": metric,
            "higher_is_better": higher_is_better,
            "updated_at": found[-1].at.isoformat() if found else None,
            "entries": [
                {"system": e.system, **e.measured.to_json(), "submitted_at": e.submitted_at.isoformat()}
                for e in entries
            ],
        }


def _add_submitting(app: FastAPI, arena: Arena) -> None:
    authorised = [Depends(_authorised)]

    @app.get("/api/boards/{board}/inputs", dependencies=authorised)
    def inputs(board: OnBoard) -> Response:
        """Hidden inputs, one JSON object a line."""
        return Response(arena.world(board).inputs(), media_type="application/jsonl")

    @app.post("/api/boards/{board}/submissions", dependencies=authorised)
    async def submit(board: OnBoard, request: Request) -> JSONResponse:
        """Score predictions and enter the system."""
        key = request.headers.get("Idempotency-Key", "")
        if not re.fullmatch(KEY_PATTERN, key):
            raise HTTPException(422, [{"field": "Idempotency-Key", "message": "1 to 200 visible ASCII characters"}])
        content = await _bounded(request)
        try:
            return await run_in_threadpool(_submit, arena, board, content, key)
        except BodyError as error:
            raise HTTPException(422, [{"field": error.field, "message": error.message}]) from None
        except ReusedKeyError as error:
            raise HTTPException(409, str(error)) from None
        except QuotaError as error:
            raise HTTPException(429, str(error), {"Retry-After": str(error.retry_after_s)}) from None


def _submit(arena: Arena, board: Board, content: bytes, key: str) -> JSONResponse:
    items = arena.world(board).answers
    reserved = {entrant.system for entrant in board.entrants}
    system, predictions = read_body(content, items=items, reserved=reserved, longest_answer=board.longest_answer)
    submission, is_new = arena.submit(board, system, predictions, key)
    return JSONResponse(submission.response, 201 if is_new else 200)


async def _bounded(request: Request) -> bytes:
    """The body, or 413 once it is larger than allowed."""
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > LARGEST_BODY_BYTES:
            raise HTTPException(413, f"larger than {LARGEST_BODY_BYTES >> 20} MiB")
    return content
