"""Submissions to boards, sent through the outbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row as ResultRow
from sqlalchemy import Select, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.db.models import Leaderboard
from auto_benchmark.db.models import Submission as Row
from auto_benchmark.db.repositories import outbox, projects
from auto_benchmark.db.repositories.clock import at

TOPIC = "submission"


@dataclass(frozen=True, slots=True)
class Submission:
    """One configuration handed in to one board. ``state``: pending, sent, accepted or refused."""

    id: int
    board: str
    production_config_id: int
    idempotency_key: str
    state: str
    receipt: dict[str, Any] | None
    score: float | None
    created_at: datetime


def enqueue(
    *, session: Session, project: str, board: str, production_config_id: int, payload: Mapping[str, Any],
    now: datetime | None = None,
) -> tuple[Submission, bool]:  # fmt: skip
    """Decide to submit a production configuration to a board; call it in the transaction of the promotion.

    One submission per board and production configuration, with its message in the outbox (topic ``submission``;
    the payload gets ``submission_id`` and ``board`` added).

    Returns:
        The submission, and whether it is new.
    """
    board_id = projects.board_id(session=session, project=project, board=board)
    key = f"{project}/{board}/{production_config_id}"
    row = insert(Row).values(
        project=project, leaderboard_id=board_id, production_config_id=production_config_id, idempotency_key=key,
        state="pending", created_at=at(now), updated_at=at(now),
    )  # fmt: skip
    new = session.scalar(row.on_conflict_do_nothing().returning(Row.id))
    if new is not None:
        message = {**payload, "submission_id": new, "board": board}
        outbox.enqueue(session=session, project=project, topic=TOPIC, idempotency_key=key, payload=message, now=now)
    query = _submissions().where(Row.project == project, Row.idempotency_key == key)
    return _submission(session.execute(query).one()), new is not None


def handed_in(
    *, session: Session, project: str, board: str, production_config_id: int, by: str, now: datetime | None = None
) -> None:
    """Note that a person has handed a production configuration in; the board scores it later."""
    row = insert(Row).values(
        project=project, leaderboard_id=projects.board_id(session=session, project=project, board=board),
        production_config_id=production_config_id, idempotency_key=f"{project}/{board}/{production_config_id}",
        state="accepted", receipt={"handed_in_by": by}, created_at=at(now), updated_at=at(now),
    )  # fmt: skip
    session.execute(row.on_conflict_do_nothing())


def set_state(
    *, session: Session, submission_id: int, state: str, receipt: Mapping[str, Any] | None = None,
    score: float | None = None, now: datetime | None = None,
) -> None:  # fmt: skip
    """Note what became of a submission. Receipt and score are kept unless new ones are given."""
    values: dict[str, Any] = {"state": state, "updated_at": at(now)}
    if receipt is not None:
        values["receipt"] = dict(receipt)
    if score is not None:
        values["score"] = score
    session.execute(update(Row).where(Row.id == submission_id).values(values))


def listed(*, session: Session, project: str, board: str | None = None, limit: int = 50) -> list[Submission]:
    """Submissions, newest first."""
    query = _submissions().where(Row.project == project).order_by(Row.id.desc()).limit(limit)
    if board is not None:
        query = query.where(Leaderboard.name == board)
    return [_submission(row) for row in session.execute(query)]


def count_sent_since(*, session: Session, project: str, board: str, since: datetime) -> int:
    """Submissions that reached a board since a moment; those still waiting are left out."""
    query = (
        select(func.count())
        .select_from(Row)
        .join(Leaderboard, Leaderboard.id == Row.leaderboard_id)
        .where(
            Row.project == project, Leaderboard.name == board, Row.updated_at >= since,
            Row.state.in_(["sent", "accepted"]),
        )
    )  # fmt: skip
    return session.scalar(query) or 0


def _submissions() -> Select[*tuple[Any, ...]]:
    columns = (Row.id, Leaderboard.name, Row.production_config_id, Row.idempotency_key, Row.state, Row.receipt)
    return select(*columns, Row.score, Row.created_at).join(Leaderboard, Leaderboard.id == Row.leaderboard_id)


def _submission(row: ResultRow[*tuple[Any, ...]]) -> Submission:
    return Submission(*row)
