"""One board: its document, fetched conditionally, and what it says, as a snapshot with its competitive delta."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.addresses import concealed, shown
from auto_benchmark.boards import doubts, our_entries
from auto_benchmark.db.repositories import locks, projects, snapshots
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.http.errors import UnreachableError
from auto_benchmark.leaderboards.compare import compare
from auto_benchmark.leaderboards.delta import Delta
from auto_benchmark.leaderboards.name_alerts import alert_lines
from auto_benchmark.leaderboards.our_entries import JudgedBoard, Last, judge
from auto_benchmark.leaderboards.our_names import OurNames
from auto_benchmark.leaderboards.plausibility import suspicions
from auto_benchmark.leaderboards.snapshot import BoardReading, Snapshot, SnapshotStatus
from auto_benchmark.project.configuration import project_directory
from auto_benchmark.project.context import Context
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.archive import RawArchive
from auto_benchmark.sources.fetch import fetch
from auto_benchmark.sources.read import read_board
from auto_benchmark.tables.entry import Entry, ParsedBoard
from auto_benchmark.tables.ranking import ranked
from auto_benchmark.tables.refusal import ReadRefused, Reason

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BoardDocument:
    """A fetched document and what the next request may ask about it."""

    content: bytes
    content_type: str | None
    etag: str | None
    last_modified: str | None


def scrape_board(ctx: Context, board_name: str) -> dict[str, Any]:
    """Read one board, store what changed, record the delta. One board's trouble is recorded, never raised.

    Returns:
        ``{"board", "status", "snapshot_id", "changed", "reason"}``.
    """
    board = ctx.board(board_name)
    fetched_at = ctx.now()
    try:
        document = fetch_document(ctx, board)
    except (AutoBenchmarkError, OSError) as error:
        return _not_read(ctx, board, SnapshotStatus.STALE, str(error))
    digest = RawArchive(ctx.home / "raw").put(document.content)
    try:
        snapshot, changed = _store(ctx, board, _parsed(board, document), fetched_at, digest)
    except ReadRefused as error:
        told = _not_read(ctx, board, SnapshotStatus.REFUSED, str(error), digest)
        if error.reason_code is Reason.SUSPECT:
            _ask_whether_so(ctx, board, document, digest, error.message)
        return told
    _remember(ctx, board, document)
    return {"board": board.name, "status": "ok", "snapshot_id": snapshot.id, "changed": changed, "reason": ""}


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


def _remember(ctx: Context, board: Leaderboard, document: BoardDocument) -> None:
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


def _parsed(board: Leaderboard, document: BoardDocument) -> ParsedBoard:
    """The document as a board. Raises ReadRefused, also where a reader of ours falls over it: other boards go on."""
    try:
        source = shown(board.url or board.name)
        return read_board(document.content, board, source=source, content_type=document.content_type)
    except ReadRefused:
        raise
    except Exception as error:
        log.exception("a reader fell over %s", board.name)
        raise ReadRefused(
            Reason.READER_FAULT,
            f"a fault of the reader ({type(error).__name__}); the document is kept, please report it",
        ) from error


def judge_again(ctx: Context, board_name: str) -> bool:
    """Take in the last good reading of a board once more, after a person has said whose one of its rows is.

    The document comes from the archive, and the board counts as no fresher than before. Where it cannot be read, the
    next scrape does the same.

    Returns:
        Whether what counts as ours has changed.
    """
    board = ctx.board(board_name)
    with ctx.sessions() as session:
        last = snapshots.latest(session=session, project=ctx.project, board=board.name)
    if last is None:
        return False
    try:
        content = RawArchive(ctx.home / "raw").get(last.content_hash)
        parsed = read_board(content, board, source=shown(board.url or board.name))
        if not our_entries.is_reading_of(ctx, last, parsed):  # its encoding stood in a header that is not kept
            raise ReadRefused(Reason.SUSPECT, "the archived document reads differently")
        moment = last.last_seen_at + timedelta(microseconds=1)
        return _store(ctx, board, parsed, moment, last.content_hash)[1]
    except (KeyError, ValueError, OSError, ReadRefused) as error:
        log.warning("%s: judged again at the next scrape: %s", board.name, error)
        return False


def take_in_believed(ctx: Context, believed: doubts.Believed) -> bool:
    """Take in a reading that was refused, after a person has said that the board shows it; whether that worked.

    Where the archived document is gone, the next scrape that finds the same document does it.
    """
    board = ctx.board(believed.board)
    try:
        content = RawArchive(ctx.home / "raw").get(believed.digest)
        document = BoardDocument(content, believed.content_type, None, None)
        _store(ctx, board, _parsed(board, document), believed.read_at, believed.digest)
    except (KeyError, ValueError, OSError, ReadRefused) as error:
        log.warning("%s: taken in at the next scrape: %s", board.name, error)
        return False
    return True


def _ask_whether_so(ctx: Context, board: Leaderboard, document: BoardDocument, digest: str, why: str) -> None:
    with ctx.sessions.begin() as session:
        doubts.ask(ctx, session, board.name, digest, document.content_type, concealed(why, board.url))
    ctx.say(f"[ALERT] {board.name}: whether it is so waits for a person; `auto-benchmark status` says how to answer")


def _store(
    ctx: Context, board: Leaderboard, parsed: ParsedBoard, fetched_at: datetime, digest: str
) -> tuple[Snapshot, bool]:
    """Snapshot, delta and questions in one transaction; whether the board, or what counts as ours, has changed.

    Raises:
        ReadRefused: the reading is not plausible after the last good one.
    """
    with ctx.sessions.begin() as session:
        locks.lock(session=session, project=ctx.project, what=f"board/{board.name}")
        previous = snapshots.latest(session=session, project=ctx.project, board=board.name)
        old = previous.entries if previous else ()
        found = _judged(ctx, session, board, parsed, previous, fetched_at)
        why = suspicions(old, found.entries, warnings=parsed.warnings, aliases=board.canonical_names)
        if why and not doubts.is_believed(ctx, session, board.name, digest):
            raise ReadRefused(Reason.SUSPECT, "; ".join(text.removeprefix(f"{Reason.SUSPECT}: ") for text in why))
        doubts.settle(ctx, session, board.name)
        reading = BoardReading(fetched_at, digest, found.entries, SnapshotStatus.OK, "", f"raw/{digest}", parsed.warnings,
                          found.aside)  # fmt: skip
        lines = our_entries.record(ctx, session, board.name, found)
        snapshot, changed = snapshots.record(
            session=session, project=ctx.project, board=board.name, reading=reading, ours=ctx.ours
        )
        if changed:
            delta = _delta(ctx, board, old or _declared(ctx, board), found.entries)
            alerts = [*alert_lines(board.name, found, previous.aside if previous else ()), *delta.alerts]
            delta = delta.model_copy(update={"alerts": alerts})
            snapshots.record_changes(session=session, project=ctx.project, new=snapshot, old=previous, delta=delta)
            lines += map(str, alerts)
    for line in lines:
        ctx.say(line)
    return snapshot, changed


def _judged(
    ctx: Context, session: Session, board: Leaderboard, parsed: ParsedBoard, previous: Snapshot | None, now: datetime
) -> JudgedBoard:
    """The board as it counts: which entries under our name are ours, and which are not."""
    return judge(
        parsed.entries,
        OurNames(ctx.ours),
        last=Last(previous.entries, previous.aside) if previous else None,
        known=lambda: our_entries.known_scores(ctx, session, board.name),
        higher_is_better=board.higher_is_better,
        now=now,
    )


def _delta(ctx: Context, board: Leaderboard, old: Sequence[Entry], new: Sequence[Entry]) -> Delta:
    """What changed; a first reading with nothing declared before it is where we start, not news."""
    if not old:
        return Delta(board=board.name, changes=[])
    return compare(
        old,
        new,
        board=board.name,
        higher_is_better=board.higher_is_better,
        ours=ctx.ours,
        aliases=board.canonical_names,
        items=board.share_items,
        stderr=board.stderr,
        dated=board.columns.date is not None,
    )


def _declared(ctx: Context, board: Leaderboard) -> list[Entry]:
    """Scores declared by hand: observation 0."""
    registry = ctx.config.registry
    rows = [
        Entry(rank=None, system=c.name, score=c.latest_score) for c in registry.competitors if c.source == board.name
    ]
    if rows and board.name in registry.our_solution.current_scores:
        score = registry.our_solution.current_scores[board.name]
        rows.append(Entry(rank=None, system=registry.our_solution.name, score=score))
    return ranked(rows, higher_is_better=board.higher_is_better)


def _not_read(
    ctx: Context,
    board: Leaderboard,
    status: SnapshotStatus,
    reason: str,
    digest: str = "",
) -> dict[str, Any]:
    """Record that a board could not be read; its last good snapshot stands."""
    reason = concealed(reason, board.url)
    log.warning("%s: %s: %s", board.name, status, reason)
    raw = f"raw/{digest}" if digest else None
    reading = BoardReading(ctx.now(), digest, status=status, reason=reason, raw_uri=raw)
    with ctx.sessions.begin() as session:
        snapshots.record(session=session, project=ctx.project, board=board.name, reading=reading, ours=ctx.ours)
    ctx.say(f"[ALERT] {board.name} could not be read ({status}): {reason}")
    return {"board": board.name, "status": str(status), "snapshot_id": None, "changed": False, "reason": reason}
