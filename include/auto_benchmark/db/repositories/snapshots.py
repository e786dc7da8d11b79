"""Snapshots of boards: their entries, and what had changed since the one before."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Row as ResultRow
from sqlalchemy import Select, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.db.models import SCHEMA, CompetitiveDelta, Leaderboard, LeaderboardEntry, LeaderboardSnapshot
from auto_benchmark.db.repositories import rank_drops
from auto_benchmark.db.repositories.clock import at
from auto_benchmark.leaderboards.alert import Alert
from auto_benchmark.leaderboards.aside import AsideRow, Whose
from auto_benchmark.leaderboards.delta import Change, Delta
from auto_benchmark.leaderboards.snapshot import BoardReading, Snapshot, SnapshotStatus, is_rank_drop, rank_drop_key
from auto_benchmark.leaderboards.standing import standing
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
    ``last_seen_at`` forward instead; one equal to the next after it was overtaken, and changes nothing. The board's row is
    locked, so that two scrapes of one board take turns.

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


def record_changes(
    *, session: Session, project: str, new: Snapshot, old: Snapshot | None, delta: Delta, now: datetime | None = None
) -> bool:
    """Store the changes that led to snapshot ``new``, once; whatever waits for rank drops is woken on commit.

    Returns:
        Whether they were recorded by this call; False when an earlier call did it.
    """
    s = LeaderboardSnapshot
    alerts = [alert.model_dump(mode="json") for alert in delta.alerts]
    mine = (
        update(s)
        .where(s.id == new.id, s.project == project, s.compared_at.is_(None))
        .values(
            compared_at=at(now),
            compared_with=old.id if old else None,
            alerts=alerts,
        )
        .returning(s.leaderboard_id, s.our_rank)
    )
    snapshot = session.execute(mine).one_or_none()
    if snapshot is None:
        return False
    rows = _change_rows(project, new, snapshot, delta.changes, now)
    if rows:
        session.execute(insert(CompetitiveDelta).on_conflict_do_nothing(), rows)
    if any(row["event_key"] for row in rows):
        rank_drops.notify(session=session, project=project)
    return True


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


def changes_of(*, session: Session, snapshot_id: int) -> Delta | None:
    """The recorded changes that led to a snapshot; None when it has not been compared yet."""
    s = LeaderboardSnapshot
    query = select(Leaderboard.name, s.alerts).join(Leaderboard, Leaderboard.id == s.leaderboard_id)
    head = session.execute(query.where(s.id == snapshot_id, s.compared_at.is_not(None))).one_or_none()
    if head is None:
        return None
    d = CompetitiveDelta
    rows = session.scalars(select(d).where(d.snapshot_id == snapshot_id).order_by(d.position))
    return Delta(
        board=head.name,
        changes=[rank_drops.change_in(row) for row in rows],
        alerts=[Alert.stored(alert) for alert in head.alerts],
    )


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


def last_problem(*, session: Session, project: str, board: str) -> Snapshot | None:
    """The newest refused or stale reading, if no good one has been seen since."""
    query = _snapshots().where(Leaderboard.project == project, Leaderboard.name == board)
    found = session.execute(query.order_by(LeaderboardSnapshot.last_seen_at.desc()).limit(1)).one_or_none()
    if found is None or found.status == SnapshotStatus.OK.value:
        return None
    return _snapshot(session, found, with_entries=False)


def _change_rows(
    project: str, new: Snapshot, stored: ResultRow[int, int | None], changes: Sequence[Change], now: datetime | None
) -> list[dict[str, Any]]:
    identity = f"{new.content_hash}@{new.fetched_at.isoformat()}"
    taken: set[str] = set()
    rows = []
    for position, change in enumerate(changes):
        key = rank_drop_key(f"{project}/{new.board}", change.system, identity)
        is_event = is_rank_drop(change, stored.our_rank) and key not in taken
        taken |= {key} if is_event else set()
        row = {
            "project": project,
            "leaderboard_id": stored.leaderboard_id,
            "snapshot_id": new.id,
            "position": position,
        }
        row |= {**change.model_dump(), "type": change.type.value, "event_key": key if is_event else None}
        rows.append(row if now is None else {**row, "recorded_at": now})
    return rows


def _seen_before(session: Session, board_id: int, reading: BoardReading) -> int | None:
    """The snapshot that a reading repeats: the newest of its kind before it, or the next after it.

    Of two scrapes at once the one that fetched first may store last; its reading then stands behind an equal one.
    """
    s = LeaderboardSnapshot
    same_kind = (
        select(s.id, s.content_hash, s.reason, s.set_aside)
        .where(s.leaderboard_id == board_id, s.status == reading.status.value)
        .limit(1)
    )
    before = same_kind.where(s.fetched_at <= reading.fetched_at).order_by(s.fetched_at.desc(), s.id.desc())
    after = same_kind.where(s.fetched_at > reading.fetched_at).order_by(s.fetched_at, s.id)
    wanted = reading.content_hash, reading.reason, [row.key for row in reading.aside]
    for query in (before, after):
        row = session.execute(query).one_or_none()
        if row is not None and (row.content_hash, row.reason, [_aside(one).key for one in row.set_aside]) == wanted:
            return int(row.id)
    return None


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
