"""What is to be posted, derived from the rows that the decisions were made on; read again they give the same keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import news, records
from auto_benchmark.db.repositories.news import BoardNews, Raised, Week
from auto_benchmark.db.repositories.records import LogEntry
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.alert import Alert, Level, Topic
from auto_benchmark.project.configuration import DEFAULT_PROJECT
from auto_benchmark.project.context import Context
from auto_benchmark.reporting.slack.notice import Notice, NoticeKind, Part
from auto_benchmark.telling.digest import in_slack

LOOK_BACK = timedelta(days=14)
"""How old an unreported row may be: longer than any outage of the loop itself, short enough for a
first run not to report the past."""
MOST_ROWS = 5000
OF_LOG = {
    LogKind.PROMOTION: (NoticeKind.PROMOTION, "Promoted {subject}"),
    LogKind.REGRESSION: (NoticeKind.REGRESSION, "Production regressed: {subject}"),
    LogKind.ROLLBACK: (NoticeKind.REGRESSION, "Production rolled back: {subject}"),
    LogKind.BROKEN_PROMISE: (NoticeKind.REGRESSION, "{subject} scores our submission below its promise"),
    LogKind.RANK_DROP: (NoticeKind.RANK_DROP, "Answering the lost place on {subject}"),
    LogKind.SATURATION: (NoticeKind.COMPETITOR, "{subject} is saturated"),
    LogKind.ADOPTION: (NoticeKind.COMPETITOR, "A new board to win: {subject}"),
    LogKind.ALERT: (NoticeKind.CYCLE_MISSED, "Cycle missed: {subject}"),
}


def notices(ctx: Context, session: Session) -> list[Notice]:
    """Everything of the last :data:`LOOK_BACK`, in order of time; nothing that an import has brought."""
    since = ctx.now() - LOOK_BACK
    since = max(since, records.imported_at(session=session, project=ctx.project) or since)
    of_boards = news.of_boards(session=session, project=ctx.project, since=since)
    logged = records.logged(session=session, project=ctx.project, since=since, limit=MOST_ROWS)
    raised = news.escalations(session=session, project=ctx.project, since=since)
    weeks = news.weeks(
        session=session, project=ctx.project, first=since.date(), before=ctx.now().date() - timedelta(days=6)
    )
    found = [notice for row in of_boards if (notice := of_board(row)) is not None]
    boards = [board.name for board in ctx.boards]
    found += [_of_log(entry, boards) for entry in logged if entry.kind in OF_LOG]
    found += [_of_escalation(entry, boards) for entry in raised]
    found += [of_week(week) for week in weeks]
    if ctx.project != DEFAULT_PROJECT:  # one channel may hear of several projects
        found = [replace(notice, title=f"{notice.title} ({ctx.project})") for notice in found]
    return sorted(found, key=lambda notice: (notice.at, notice.key))


def of_board(row: BoardNews) -> Notice | None:
    """What one snapshot changed; None where no line of it is an alert and our rank is the same."""
    lost = row.rank is not None and row.old_rank is not None and row.rank > row.old_rank
    first = row.rank == 1 and row.old_rank is not None and row.old_rank > 1
    lines = sorted(row.alerts, key=lambda line: line.urgency)
    if not (lost or first or any(line.level is Level.ALERT for line in lines)):
        return None
    kind = _kind(lines, lost=lost, first=first)
    rank = "not listed" if row.rank is None else f"#{row.rank}"
    return Notice(
        key=f"board/{row.snapshot_id}",
        kind=kind,
        at=row.at,
        title=_BOARD_TITLES[kind].format(board=row.board, rank=rank),
        parts=[Part("", [line.text for line in lines])],
        board=row.board,
        opens_at=row.old_rank if kind.is_urgent else None,
        rank=row.rank,
        report="reports/gap_matrix.md",
    )


_BOARD_TITLES = {
    NoticeKind.NUMBER_ONE: "We are #1 on {board}",
    NoticeKind.OVERTAKEN: "Overtaken on {board}: now {rank}",
    NoticeKind.NEW_ENTRANT_AHEAD: "New entrant ahead of us on {board}: now {rank}",
    NoticeKind.RANK_DROP: "Rank drop on {board}: now {rank}",
    NoticeKind.COMPETITOR: "{board} moved: we are {rank}",
}


def _kind(lines: Sequence[Alert], *, lost: bool, first: bool) -> NoticeKind:
    topics = {line.topic for line in lines}
    if first:
        return NoticeKind.NUMBER_ONE
    if Topic.OVERTAKEN in topics:
        return NoticeKind.OVERTAKEN
    if Topic.ENTRANT_AHEAD in topics:
        return NoticeKind.NEW_ENTRANT_AHEAD
    return NoticeKind.RANK_DROP if lost else NoticeKind.COMPETITOR


def _of_log(entry: LogEntry, boards: list[str]) -> Notice:
    kind, title = OF_LOG[entry.kind]
    named = [*entry.inputs.get("scores", {}), entry.inputs.get("board"), entry.subject]
    return Notice(
        key=f"log/{entry.key}",
        kind=kind,
        at=entry.created_at,
        title=title.format(subject=entry.subject),
        parts=[Part("", [entry.reason])],
        board=next((name for name in named if name in boards), None),
        incident=_regression(entry.key),
        report="TECHNICAL_LOG.md",
    )


def _of_escalation(entry: Raised, boards: list[str]) -> Notice:
    board = entry.inputs.get("board")
    return Notice(
        key=f"escalation/{entry.key}",
        kind=NoticeKind.ESCALATION,
        at=entry.at,
        title=f"A person is needed: {entry.title}",
        parts=[Part("", [line for line in entry.brief.splitlines() if line.strip()])],
        board=board if board in boards else None,
        incident=_regression(entry.key),
        report="TECHNICAL_LOG.md",
    )


def _regression(key: str) -> str | None:
    """The incident of a regression, its rollback and its escalation: the production configuration that regressed."""
    kind, _, rest = key.partition("/")
    return f"regression/{rest.partition('/')[0]}" if kind in {"regression", "rollback"} else None


def of_week(week: Week) -> Notice:
    """The weekly digest."""
    name = f"digest-{week.week.isoformat()}"
    return Notice(
        key=f"digest/{week.week.isoformat()}",
        kind=NoticeKind.DIGEST,
        at=week.at,
        title=f"Benchmark Digest — Week of {week.week.isoformat()}",
        parts=[Part(title, lines) for title, lines in in_slack(week.facts)],
        report=f"reports/{name}.md",
    )


def due_at(ctx: Context, kind: NoticeKind) -> datetime:
    """When a notice of ``kind`` may be sent: now, or when the quiet hours end."""
    from auto_benchmark.reporting.slack.quiet import quiet_until

    if kind.is_urgent:
        return ctx.now()
    schedule = ctx.config.schedule
    return quiet_until(ctx.now(), schedule.notifications.quiet_hours, schedule.timezone) or ctx.now()
