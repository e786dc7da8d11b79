"""Snapshots of boards and their entries."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Row as ResultRow
from sqlalchemy import Select, func, select, update
from sqlalchemy.orm import Session

from auto_benchmark.db.models import SCHEMA, Leaderboard, LeaderboardEntry, LeaderboardSnapshot
from auto_benchmark.leaderboards.aside import AsideRow, Whose
from auto_benchmark.leaderboards.snapshot import (
    BoardReading,
    DatedStanding,
    Snapshot,
    SnapshotStatus,
)
from auto_benchmark.leaderboards.standing import Standing, standing
from auto_benchmark.tables.entry import Entry

_COPY = (
    f"COPY {SCHEMA}.leaderboard_entries "
    "(snapshot_id, position, project, rank, system, score, stderr, metrics, date, note, url) FROM STDIN"
)


def record(
    *, session: Session, project: str, board: str, reading: BoardReading, ours: Collection[str]
) -> tuple[Snapshot, bool]:
    """Store a reading once.

    A reading equal to the newest of its kind before it (same status, reason, content and rows set aside) moves that one's
    ``last_seen_at`` forward instead. The board's row is locked, so that two scrapes of one board take turns.

    - ``ours``: our name and its aliases.

    Returns:
        The snapshot (without entries) and whether it is new.

    Raises:
        KeyError: the project has no such board.
    """
    query = select(Leaderboard.id).where(Leaderboard.project == project, Leaderboard.name == board)
    board_id = session.scalar(query.with_for_update(key_share=True))
    if board_id is None:
        raise KeyError(f"project {project!r} has no leaderboard {board!r}")
    if (seen := _seen_before(session, board_id, reading)) is not None:
        touched = (
            update(LeaderboardSnapshot)
            .where(LeaderboardSnapshot.id == seen)
            .values(last_seen_at=func.greatest(LeaderboardSnapshot.last_seen_at, reading.fetched_at))
        )
        session.execute(touched)
        return _require(session, seen), False
    row = LeaderboardSnapshot(
        project=project, leaderboard_id=board_id, fetched_at=reading.fetched_at, last_seen_at=reading.fetched_at,
        content_hash=reading.content_hash, status=reading.status.value, reason=reading.reason,
        raw_uri=reading.raw_uri, warnings=list(reading.warnings), n_entries=len(reading.entries),
        set_aside=[_written_aside(row) for row in reading.aside],
        **asdict(standing(reading.entries, ours)),
    )  # fmt: skip
    session.add(row)
    session.flush()
    _copy_entries(session, row.id, project, reading.entries)
    return _require(session, row.id), True


def get(*, session: Session, snapshot_id: int, with_entries: bool = True) -> Snapshot | None:
    """One snapshot by id."""
    found = session.execute(_snapshots().where(LeaderboardSnapshot.id == snapshot_id)).one_or_none()
    return None if found is None else _snapshot(session, found, with_entries)


def latest(*, session: Session, project: str, board: str, with_entries: bool = True) -> Snapshot | None:
    """The newest good snapshot of a board."""
    found = session.execute(_good(project, board).limit(1)).one_or_none()
    return None if found is None else _snapshot(session, found, with_entries)


def previous(*, session: Session, snapshot: Snapshot, project: str, with_entries: bool = True) -> Snapshot | None:
    """The newest good snapshot of the same board that is older than ``snapshot``."""
    older = _good(project, snapshot.board).where(LeaderboardSnapshot.fetched_at < snapshot.fetched_at)
    found = session.execute(older.limit(1)).one_or_none()
    return None if found is None else _snapshot(session, found, with_entries)


def history(*, session: Session, project: str, board: str, limit: int = 100) -> list[DatedStanding]:
    """Our rank and score, and the top's, in the newest good snapshots; oldest first."""
    s = LeaderboardSnapshot
    query = (
        select(
            s.id, s.fetched_at, s.last_seen_at, s.our_rank, s.our_score, s.leader, s.leader_score, s.runner_up_score
        )
        .join(Leaderboard, Leaderboard.id == s.leaderboard_id)
        .where(Leaderboard.project == project, Leaderboard.name == board, s.status == SnapshotStatus.OK.value)
        .order_by(s.fetched_at.desc(), s.id.desc())
        .limit(limit)
    )
    rows = session.execute(query).all()
    return [DatedStanding(row[0], row[1], row[2], Standing(*row[3:])) for row in reversed(rows)]


def our_scores(*, session: Session, project: str, board: str) -> list[float]:
    """Every score that good snapshots of a board have counted as ours, newest first."""
    s = LeaderboardSnapshot
    query = (
        select(s.our_score)
        .join(Leaderboard, Leaderboard.id == s.leaderboard_id)
        .where(Leaderboard.project == project, Leaderboard.name == board, s.status == SnapshotStatus.OK.value)
        .where(s.our_score.is_not(None))
        .group_by(s.our_score)
        .order_by(func.max(s.fetched_at).desc())
    )
    return [score for score in session.scalars(query) if score is not None]


def ranking(*, session: Session, project: str, board: str) -> tuple[datetime, list[tuple[str, float]]] | None:
    """Systems and scores of the newest good snapshot, best first, and when it was fetched; None where there is none."""
    newest = session.execute(_good(project, board).limit(1)).one_or_none()
    if newest is None:
        return None
    e = LeaderboardEntry
    scored = select(e.system, e.score).where(e.snapshot_id == newest.id, e.score.is_not(None)).order_by(e.position)
    return newest.fetched_at, [
        (system, float(score)) for system, score in session.execute(scored).tuples() if score is not None
    ]


def last_seen(*, session: Session, project: str) -> dict[str, datetime | None]:
    """Active board -> when its content was last confirmed by a good reading; None when never."""
    s = LeaderboardSnapshot
    query = (
        select(Leaderboard.name, func.max(s.last_seen_at))
        .outerjoin(s, (s.leaderboard_id == Leaderboard.id) & (s.status == SnapshotStatus.OK.value))
        .where(Leaderboard.project == project, Leaderboard.active)
        .group_by(Leaderboard.name, Leaderboard.position)
        .order_by(Leaderboard.position)
    )
    return dict(session.execute(query).tuples().all())


def last_problem(*, session: Session, project: str, board: str) -> Snapshot | None:
    """The newest refused or stale reading, if no good one has been seen since."""
    query = _snapshots().where(Leaderboard.project == project, Leaderboard.name == board)
    found = session.execute(query.order_by(LeaderboardSnapshot.last_seen_at.desc()).limit(1)).one_or_none()
    if found is None or found.status == SnapshotStatus.OK.value:
        return None
    return _snapshot(session, found, with_entries=False)


def _seen_before(session: Session, board_id: int, reading: BoardReading) -> int | None:
    s = LeaderboardSnapshot
    same_kind = (
        select(s.id, s.content_hash, s.reason, s.set_aside)
        .where(s.leaderboard_id == board_id, s.status == reading.status.value, s.fetched_at <= reading.fetched_at)
        .order_by(s.fetched_at.desc(), s.id.desc())
        .limit(1)
    )
    newest = session.execute(same_kind).one_or_none()
    if newest is None or (newest.content_hash, newest.reason) != (reading.content_hash, reading.reason):
        return None
    if [_aside(row).key for row in newest.set_aside] != [row.key for row in reading.aside]:
        return None
    return int(newest.id)


def _copy_entries(session: Session, snapshot_id: int, project: str, entries: Iterable[Entry]) -> None:
    connection: Any = session.connection().connection.driver_connection
    with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
        for position, e in enumerate(entries):
            metrics = json.dumps(e.metrics, allow_nan=False) if e.metrics else None
            copy.write_row(
                (snapshot_id, position, project, e.rank, e.system, e.score, e.stderr, metrics, e.date, e.note, e.url)
            )


def _snapshots() -> Select[*tuple[Any, ...]]:
    s = LeaderboardSnapshot
    return select(
        s.id, Leaderboard.name, s.fetched_at, s.last_seen_at, s.content_hash, s.status, s.reason, s.set_aside
    ).join(Leaderboard, Leaderboard.id == s.leaderboard_id)  # fmt: skip


def _good(project: str, board: str) -> Select[*tuple[Any, ...]]:
    s = LeaderboardSnapshot
    good = (Leaderboard.project == project, Leaderboard.name == board, s.status == SnapshotStatus.OK.value)
    return _snapshots().where(*good).order_by(s.fetched_at.desc(), s.id.desc())


def _require(session: Session, snapshot_id: int) -> Snapshot:
    row = session.execute(_snapshots().where(LeaderboardSnapshot.id == snapshot_id)).one()
    return _snapshot(session, row, with_entries=False)


def _snapshot(session: Session, row: ResultRow[*tuple[Any, ...]], with_entries: bool) -> Snapshot:
    entries = _entries(session, row.id) if with_entries else ()
    status = SnapshotStatus(row.status)
    return Snapshot(
        row.id, row.name, row.fetched_at, row.last_seen_at, row.content_hash, status, row.reason, tuple(entries),
        tuple(map(_aside, row.set_aside)),
    )  # fmt: skip


def _written_aside(row: AsideRow) -> dict[str, Any]:
    return {"name": row.name, "score": row.score, "whose": row.whose.value, "since": row.since.isoformat()}


def _aside(stored: dict[str, Any]) -> AsideRow:
    return AsideRow(stored["name"], stored["score"], Whose(stored["whose"]), datetime.fromisoformat(stored["since"]))


def _entries(session: Session, snapshot_id: int) -> list[Entry]:
    e = LeaderboardEntry
    query = (
        select(e.rank, e.system, e.score, e.stderr, e.metrics, e.date, e.note, e.url)
        .where(e.snapshot_id == snapshot_id)
        .order_by(e.position)
    )
    return [
        Entry(
            rank=r.rank,
            system=r.system,
            score=r.score,
            stderr=r.stderr,
            metrics=r.metrics or {},
            date=r.date,
            note=r.note,
            url=r.url,
        )
        for r in session.execute(query)
    ]
