"""Fetches the document behind a board: conditionally, and once more where the trouble may pass."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from auto_benchmark.db.repositories import projects, snapshots
from auto_benchmark.project.configuration import project_directory
from auto_benchmark.project.context import Context
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.archive import RawArchive
from auto_benchmark.sources.connection import Answer, Connection, UnreachableError
from auto_benchmark.sources.fetch import fetch

ATTEMPTS = 3
LONGEST_WAIT_S = 10.0
PASSING = {408, 425, 429, 500, 502, 503, 504}


@dataclass(frozen=True, slots=True)
class BoardDocument:
    """A fetched document and what the next request may ask about it."""

    content: bytes
    content_type: str | None
    etag: str | None
    last_modified: str | None


def fetch_document(ctx: Context, board: Leaderboard) -> BoardDocument:
    """The board's document; where the server says that it has not changed, the archived bytes of the last reading.

    Raises:
        AutoBenchmarkError: when it cannot be had.
    """
    archived, etag, last_modified = _known(ctx, board)
    if board.conn_id is not None:
        return _through_connection(ctx, board, archived, etag, last_modified)
    fetched = fetch(
        board.url or "",
        base=project_directory(ctx.settings, ctx.project),
        allow_private=ctx.settings.allow_private_addresses,
        etag=etag,
        last_modified=last_modified,
        token=ctx.settings.token(board.token_env),
        contact=ctx.settings.contact,
    )
    if fetched.not_modified and archived is not None:
        return BoardDocument(archived, fetched.content_type, etag, last_modified)
    return BoardDocument(fetched.content, fetched.content_type, fetched.etag, fetched.last_modified)


def remember(ctx: Context, board: Leaderboard, document: BoardDocument) -> None:
    """Keep the validators of a document that was read; an unreadable one is asked for in full again."""
    with ctx.sessions.begin() as session:
        projects.set_validators(
            session=session,
            project=ctx.project,
            board=board.name,
            etag=document.etag,
            last_modified=document.last_modified,
        )


def _known(ctx: Context, board: Leaderboard) -> tuple[bytes | None, str | None, str | None]:
    """Bytes and validators of the last good reading; nothing where the bytes are no longer there."""
    with ctx.sessions() as session:
        etag, last_modified = projects.validators(session=session, project=ctx.project, board=board.name)
        latest = snapshots.latest(session=session, project=ctx.project, board=board.name, with_entries=False)
    if latest is not None and (etag or last_modified):
        with contextlib.suppress(KeyError, ValueError):
            return RawArchive(ctx.home / "raw").get(latest.content_hash), etag, last_modified
    return None, None, None


def _through_connection(
    ctx: Context, board: Leaderboard, archived: bytes | None, etag: str | None, last_modified: str | None
) -> BoardDocument:
    asked = {"If-None-Match": etag, "If-Modified-Since": last_modified}
    headers = {name: value for name, value in asked.items() if value}
    answer = _patiently(ctx.connections.get(board.conn_id or ""), board.url or "/", headers)
    if answer.status == 304 and archived is not None:
        return BoardDocument(archived, answer.content_type, etag, last_modified)
    if answer.status != 200:
        raise UnreachableError(f"{board.url}: HTTP {answer.status}")
    return BoardDocument(
        answer.content, answer.content_type, answer.headers.get("etag"), answer.headers.get("last-modified")
    )


def _patiently(connection: Connection, path: str, headers: dict[str, str]) -> Answer:
    """GET with backoff and jitter while the trouble may pass; the last answer or error stands."""
    from tenacity import (
        Retrying,
        retry_if_exception_type,
        retry_if_result,
        stop_after_attempt,
        wait_random_exponential,
    )

    tries = Retrying(
        stop=stop_after_attempt(ATTEMPTS),
        wait=wait_random_exponential(multiplier=0.5, max=LONGEST_WAIT_S),
        retry=retry_if_exception_type(UnreachableError) | retry_if_result(lambda a: a.status in PASSING),
        retry_error_callback=lambda state: state.outcome.result() if state.outcome else None,
    )
    answer: Answer = tries(connection.get, path, headers=headers)
    return answer
