"""Projects and their boards, as the registry declares them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete as delete_from
from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from auto_benchmark.addresses import without_credentials
from auto_benchmark.db.models import Leaderboard, Project
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
from auto_benchmark.registry.leaderboard import Leaderboard as Board


def upsert(*, session: Session, project: str, registry: CompetitiveRegistry) -> dict[str, int]:
    """Record a project and its boards as declared; boards no longer declared become inactive.

    Returns:
        Board name -> id, of the declared boards in their order.
    """
    ours = registry.our_solution
    values = {"domain": registry.domain, "our_name": ours.name, "solution": ours.solution}
    row = insert(Project).values(name=project, **values)
    session.execute(row.on_conflict_do_update(index_elements=["name"], set_=values))
    names = [board.name for board in registry.target_leaderboards]
    boards = insert(Leaderboard).values(
        [_board_row(project, i, board) for i, board in enumerate(registry.target_leaderboards)]
    )
    changed = {c: boards.excluded[c] for c in ("metric", "higher_is_better", "position", "active", "spec")}
    session.execute(boards.on_conflict_do_update(index_elements=["project", "name"], set_=changed))
    gone = update(Leaderboard).where(Leaderboard.project == project, Leaderboard.name.not_in(names))
    session.execute(gone.values(active=False))
    return board_ids(session=session, project=project)


def names(*, session: Session) -> list[str]:
    """All projects, in order."""
    return list(session.scalars(select(Project.name).order_by(Project.name)))


def board_ids(*, session: Session, project: str) -> dict[str, int]:
    """Board name -> id of the active boards, in the registry's order."""
    query = select(Leaderboard.name, Leaderboard.id).where(Leaderboard.project == project, Leaderboard.active)
    return dict(session.execute(query.order_by(Leaderboard.position)).tuples().all())


def board_id(*, session: Session, project: str, board: str) -> int:
    """Id of a board, active or not. Raises KeyError."""
    found = session.scalar(select(Leaderboard.id).where(Leaderboard.project == project, Leaderboard.name == board))
    if found is None:
        raise KeyError(f"project {project!r} has no leaderboard {board!r}")
    return found


def boards(*, session: Session, project: str) -> Sequence[Board]:
    """The active boards as they were last declared."""
    query = select(Leaderboard.spec).where(Leaderboard.project == project, Leaderboard.active)
    return [Board.model_validate(spec) for spec in session.scalars(query.order_by(Leaderboard.position))]


def delete(*, session: Session, project: str) -> bool:
    """Delete a project with everything recorded for it; whether it existed."""
    gone = session.scalar(delete_from(Project).where(Project.name == project).returning(Project.name))
    return gone is not None


def known_since(*, session: Session, project: str) -> datetime | None:
    """When a project was first recorded; None when it never was."""
    return session.scalar(select(Project.created_at).where(Project.name == project))


def _board_row(project: str, position: int, board: Board) -> dict[str, object]:
    return {
        "project": project,
        "name": board.name,
        "metric": board.primary_metric,
        "higher_is_better": board.higher_is_better,
        "position": position,
        "active": True,
        "spec": _without_credentials(board).model_dump(mode="json", by_alias=True, exclude_unset=True),
    }


def _without_credentials(board: Board) -> Board:
    """The board as rows, exports and pages have it. Requests take their addresses from the declaration."""
    changed: dict[str, object] = {} if board.url is None else {"url": without_credentials(board.url)}
    if board.submission is not None:
        api = without_credentials(board.submission.api)
        changed["submission"] = board.submission.model_copy(update={"api": api})
    return board.model_copy(update=changed)


def validators(*, session: Session, project: str, board: str) -> tuple[str | None, str | None]:
    """ETag and Last-Modified of the document behind the board's last good reading."""
    mine = (Leaderboard.project == project, Leaderboard.name == board)
    row = session.execute(select(Leaderboard.etag, Leaderboard.last_modified).where(*mine)).one_or_none()
    return (None, None) if row is None else (row.etag, row.last_modified)


def set_validators(
    *, session: Session, project: str, board: str, etag: str | None, last_modified: str | None
) -> None:
    """Remember them for the next conditional request."""
    mine = (Leaderboard.project == project, Leaderboard.name == board)
    session.execute(update(Leaderboard).where(*mine).values(etag=etag, last_modified=last_modified))
