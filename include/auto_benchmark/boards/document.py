"""Fetches the document behind a board: conditionally, and again where the trouble may pass."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from auto_benchmark.addresses import shown
from auto_benchmark.db.repositories import projects, snapshots
from auto_benchmark.http.errors import UnreachableError
from auto_benchmark.project.configuration import project_directory
from auto_benchmark.project.context import Context
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.archive import RawArchive
from auto_benchmark.sources.fetch import fetch


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
        private=ctx.settings.private_hosts,
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
    answer = ctx.connections.get(board.conn_id or "").get(board.url or "/", headers=headers)
    if answer.status == 304 and archived is not None:
        return BoardDocument(archived, answer.content_type, etag, last_modified)
    if answer.status != 200:
        raise UnreachableError(f"{shown(board.url or '/')}: HTTP {answer.status}")
    return BoardDocument(
        answer.content, answer.content_type, answer.headers.get("etag"), answer.headers.get("last-modified")
    )
