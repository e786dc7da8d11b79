"""``leaderboard_scrape``: fetch -> snapshot -> competitive delta -> registry -> gap matrix -> triggers."""

from __future__ import annotations

import hashlib
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from auto_benchmark.artifacts import atomic, raw_pages
from auto_benchmark.db.repositories import deltas, records, snapshots
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.leaderboards.compare import compare
from auto_benchmark.leaderboards.delta import Delta
from auto_benchmark.leaderboards.entry import ParsedBoard
from auto_benchmark.leaderboards.plausibility import implausible
from auto_benchmark.leaderboards.refusal import ReadRefused
from auto_benchmark.leaderboards.snapshot import Reading, Snapshot, SnapshotStatus
from auto_benchmark.pipelines import landscape
from auto_benchmark.pipelines.context import Context
from auto_benchmark.pipelines.reconcile import reconcile, render_views
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.connection import UnreachableError
from auto_benchmark.sources.fetch import Fetched, fetch
from auto_benchmark.sources.read import read_board

log = logging.getLogger(__name__)
__all__ = ["reconcile", "run", "scrape_board", "update_landscape"]
PARALLEL_BOARDS = 16


def run(ctx: Context) -> dict[str, Any]:
    """The whole DAG in order."""
    reconcile(ctx)
    with ThreadPoolExecutor(PARALLEL_BOARDS, thread_name_prefix="scrape") as pool:
        scraped = list(pool.map(lambda board: scrape_board(ctx, board.name), ctx.boards))
    return {"boards": scraped, **update_landscape(ctx)}


def scrape_board(ctx: Context, board_name: str) -> dict[str, Any]:
    """Read one board, store what changed, record the delta. One board's trouble is recorded, never raised.

    Returns:
        ``{"board", "status", "snapshot_id", "changed", "reason"}``.
    """
    board = ctx.board(board_name)
    fetched_at = ctx.now()
    try:
        fetched = _fetch(ctx, board)
    except (UnreachableError, AutoBenchmarkError, OSError) as error:
        return _not_read(ctx, board, SnapshotStatus.STALE, f"{type(error).__name__}: {error}")
    content_hash = hashlib.sha256(fetched.content).hexdigest()
    raw = raw_pages.keep(ctx.home / "raw", fetched.content)
    try:
        parsed = read_board(fetched.content, board, source=board.url or board.name, content_type=fetched.content_type)
    except ReadRefused as error:
        return _not_read(ctx, board, SnapshotStatus.REFUSED, str(error), content_hash, raw)
    with ctx.sessions.begin() as session:
        previous = snapshots.latest(session=session, project=ctx.project, board=board.name)
        if previous and (reason := implausible(previous.entries, parsed.entries, board)):
            refused = reason
        else:
            reading = Reading(fetched_at, content_hash, parsed.entries, raw_uri=raw, warnings=parsed.warnings)
            snapshot, changed = snapshots.record(
                session=session, project=ctx.project, board=board.name, reading=reading, ours=ctx.ours
            )
            delta = _record_delta(ctx, session, board, snapshot, parsed, previous) if changed else None
            refused = None
    if refused:
        return _not_read(ctx, board, SnapshotStatus.REFUSED, refused, content_hash, raw)
    for line in delta.alerts if delta else ():
        ctx.say(line)
    return {"board": board.name, "status": "ok", "snapshot_id": snapshot.id, "changed": changed, "reason": ""}


def _record_delta(
    ctx: Context, session: Any, board: Leaderboard, snapshot: Snapshot, parsed: ParsedBoard, previous: Snapshot | None
) -> Delta:
    old = previous.entries if previous else _declared(ctx, board)
    delta = compare(old, parsed.entries, board=board.name, higher_is_better=board.higher_is_better, ours=ctx.ours)
    deltas.record(session=session, project=ctx.project, new=snapshot, old=previous, delta=delta)
    return delta


def _declared(ctx: Context, board: Leaderboard) -> tuple[Any, ...]:
    """Nothing to compare the first reading with: declared scores are where we start, not news."""
    return ()


def _fetch(ctx: Context, board: Leaderboard) -> Fetched:
    if board.conn_id is None:
        return fetch(board.url or "", allow_private=ctx.settings.allow_private_addresses)
    answer = ctx.connections.get(board.conn_id).get(board.url or "/")
    if answer.status != 200:
        raise UnreachableError(f"{board.url}: HTTP {answer.status}")
    return Fetched(content=answer.content, content_type=answer.content_type, final_url=board.url or "/")


def _not_read(
    ctx: Context,
    board: Leaderboard,
    status: SnapshotStatus,
    reason: str,
    content_hash: str = "",
    raw: str | None = None,
) -> dict[str, Any]:
    """Record that a board could not be read; its last good snapshot stands."""
    log.warning("%s: %s: %s", board.name, status, reason)
    reading = Reading(ctx.now(), content_hash, status=status, reason=reason, raw_uri=raw)
    with ctx.sessions.begin() as session:
        snapshots.record(session=session, project=ctx.project, board=board.name, reading=reading, ours=ctx.ours)
    ctx.say(f"[ALERT] {board.name} could not be read ({status}): {reason}")
    return {"board": board.name, "status": str(status), "snapshot_id": None, "changed": False, "reason": reason}


def update_landscape(ctx: Context) -> dict[str, Any]:
    """Render registry and gap matrix and decide what the new landscape triggers.

    Returns:
        ``{"triggers": [...], "unclaimed_rank_drops": n}``.
    """
    render_views(ctx)
    with ctx.sessions.begin() as session:
        view = landscape.observe(ctx, session)
        atomic.write_text(ctx.home / "reports" / "gap_matrix.md", view.gap_matrix_markdown)
        unclaimed = deltas.unclaimed_rank_drops(session=session, project=ctx.project)
        for trigger in view.triggers:
            records.log(
                session=session,
                project=ctx.project,
                key=f"trigger/{trigger.key}",
                kind="trigger",
                subject=trigger.board,
                reason=trigger.reason,
                inputs={"action": trigger.action},
            )
    return {"triggers": [t.action for t in view.triggers], "unclaimed_rank_drops": len(unclaimed)}
