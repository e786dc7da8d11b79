"""``leaderboard_scrape``: fetch -> snapshot -> competitive delta -> registry -> gap matrix -> triggers."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.boards import landscape
from auto_benchmark.boards.document import fetch_document, remember
from auto_benchmark.db.repositories import deltas, records, snapshots
from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.leaderboards.compare import compare
from auto_benchmark.leaderboards.delta import Delta
from auto_benchmark.leaderboards.plausibility import suspicions
from auto_benchmark.leaderboards.snapshot import Reading, Snapshot, SnapshotStatus
from auto_benchmark.project.context import Context
from auto_benchmark.project.reconcile import render_views
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.archive import RawArchive
from auto_benchmark.sources.read import read_board
from auto_benchmark.tables.entry import Entry, ParsedBoard
from auto_benchmark.tables.ranking import ranked
from auto_benchmark.tables.refusal import ReadRefused, Reason

log = logging.getLogger(__name__)


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
        source = board.url or board.name
        parsed = read_board(document.content, board, source=source, content_type=document.content_type)
        snapshot, delta = _store(ctx, board, parsed, fetched_at, digest)
    except ReadRefused as error:
        return _not_read(ctx, board, SnapshotStatus.REFUSED, str(error), digest)
    remember(ctx, board, document)
    for line in delta.alerts if delta else ():
        ctx.say(line)
    changed = delta is not None
    return {"board": board.name, "status": "ok", "snapshot_id": snapshot.id, "changed": changed, "reason": ""}


def _store(
    ctx: Context, board: Leaderboard, parsed: ParsedBoard, fetched_at: datetime, digest: str
) -> tuple[Snapshot, Delta | None]:
    """Snapshot and delta in one transaction; no delta where the board has not changed.

    Raises:
        ReadRefused: the reading is not plausible after the last good one.
    """
    with ctx.sessions.begin() as session:
        previous = snapshots.latest(session=session, project=ctx.project, board=board.name)
        old = previous.entries if previous else ()
        if doubts := suspicions(old, parsed.entries, warnings=parsed.warnings, aliases=board.canonical_names):
            raise ReadRefused(Reason.SUSPECT, "; ".join(doubts))
        reading = Reading(fetched_at, digest, parsed.entries, raw_uri=f"raw/{digest}", warnings=parsed.warnings)
        snapshot, changed = snapshots.record(
            session=session, project=ctx.project, board=board.name, reading=reading, ours=ctx.ours
        )
        if not changed:
            return snapshot, None
        delta = _delta(ctx, board, old or _declared(ctx, board), parsed.entries)
        deltas.record(session=session, project=ctx.project, new=snapshot, old=previous, delta=delta)
    return snapshot, delta


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
        items=board.items,
        stderr=board.stderr,
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
    log.warning("%s: %s: %s", board.name, status, reason)
    raw = f"raw/{digest}" if digest else None
    reading = Reading(ctx.now(), digest, status=status, reason=reason, raw_uri=raw)
    with ctx.sessions.begin() as session:
        snapshots.record(session=session, project=ctx.project, board=board.name, reading=reading, ours=ctx.ours)
    ctx.say(f"[ALERT] {board.name} could not be read ({status}): {reason}")
    return {"board": board.name, "status": str(status), "snapshot_id": None, "changed": False, "reason": reason}


def update_landscape(ctx: Context, *, cycle: str | None = None) -> dict[str, Any]:
    """Render registry and gap matrix, and note what the new landscape triggers.

    Args:
        ctx: the project.
        cycle: name of the cycle that ends with this scrape; where each board stands is then written down.

    Returns:
        ``{"triggers": [...], "unclaimed_rank_drops": n}``.
    """
    render_views(ctx)
    with ctx.sessions.begin() as session:
        view = landscape.observe(ctx, session)
        atomic.write_text(ctx.home / "reports" / "gap_matrix.md", view.matrix.markdown())
        new = [keyed.trigger for keyed in view.triggers if _note(ctx, session, keyed)]
        if cycle is not None:
            landscape.note_cycle(ctx, session, cycle)
        unclaimed = deltas.unclaimed_rank_drops(session=session, project=ctx.project)
    return {"triggers": [str(trigger.action) for trigger in new], "unclaimed_rank_drops": len(unclaimed)}


def _note(ctx: Context, session: Session, keyed: landscape.KeyedTrigger) -> bool:
    """Log a trigger; False when it was logged before."""
    trigger = keyed.trigger
    return records.log(
        session=session,
        project=ctx.project,
        key=f"trigger/{keyed.key}",
        kind="trigger",
        subject=trigger.board,
        reason=trigger.reason,
        inputs={"action": str(trigger.action), "systems": list(trigger.systems)},
    )
