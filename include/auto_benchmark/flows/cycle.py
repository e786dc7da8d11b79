"""One cycle of the loop: the flows in order, then the mission's seven checks as a row."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.boards import victory
from auto_benchmark.boards.standing import positions
from auto_benchmark.db.repositories import board_history, hypotheses, rank_drops, records, snapshots
from auto_benchmark.errors import InputError
from auto_benchmark.experiments.gate.aa import compare_with_itself
from auto_benchmark.experiments.search import conclusion as search_conclusion
from auto_benchmark.experiments.steps import handed_in, submit
from auto_benchmark.flows import inline
from auto_benchmark.hypotheses.queue import place
from auto_benchmark.papers.feed import PaperFeed, screened
from auto_benchmark.project import tracking
from auto_benchmark.project.context import Context
from auto_benchmark.reporting.position import Position
from auto_benchmark.telling import slack
from auto_benchmark.telling.questions import commands


def run_cycle(ctx: Context, name: str, *, feed: PaperFeed | None = None) -> dict[str, Any]:
    """Scrape, hand in what is due, defend, read papers, sweep (urgently after a rank drop), look again, report, audit.

    Papers that are due are read before an ordinary sweep, so that it may try them, and after an urgent one, which
    waits for nothing. Where the boards stand is noted at the cycle's end, not by its scrapes.

    Args:
        ctx: the project.
        name: of the cycle; a second run with the same name audits it again.
        feed: where papers come from; the public services by default.

    Returns:
        ``{"cycle", "positions", "defense", "papers", "sweep", "search", "adopted", "audit"}``; ``papers`` is None when none
        were due, ``search`` says so when nothing was found, ``adopted`` is the board that follows a saturated one, measured
        from the next cycle on.
    """
    feed = feed or PaperFeed()
    started = ctx.now()
    inline.scrape(ctx)
    if handed_in(ctx, submit(ctx)):
        inline.scrape(ctx)
    defense = inline.defend(ctx)
    with ctx.sessions() as session:
        urgent = rank_drops.count_unclaimed(session=session, project=ctx.project) > 0
    read = None if urgent else inline.read_due_papers(ctx, feed)
    sweep = inline.sweep(ctx, urgent=urgent)
    read = inline.read_due_papers(ctx, feed) if urgent else read
    if handed_in(ctx, sweep["submissions"]):
        inline.scrape(ctx)
    compare_with_itself(ctx)
    adopted = _constructed(ctx)
    digest = inline.report(ctx)
    audit = _audit(ctx, name, started, sweep, digest)
    with ctx.sessions.begin() as session:
        victory.note_cycle(ctx, session, name)
        where = positions(ctx, session)
        search = search_conclusion.latest(ctx, session)
        waiting = [line for asked in open_questions(ctx, session) for line in asked]
    tracking.flush(ctx)
    slack.notify(ctx)
    for position in where:
        ctx.say(_standing(position))
    if search is not None:
        ctx.say(f"[SEARCH] {search}")
    for line in waiting:
        ctx.say(line)
    return {
        "cycle": name,
        "positions": [_shape(p) for p in where],
        "defense": defense,
        "papers": read,
        "sweep": sweep,
        "search": search,
        "adopted": adopted,
        "audit": audit,
    }


def _constructed(ctx: Context) -> dict[str, Any] | None:
    """The board that follows a saturated one; a request that cannot be built stops no cycle, and is tried in the next."""
    try:
        return inline.construct_due(ctx)
    except InputError as error:
        ctx.say(f"[CONSTRUCTION] nothing was built, and the next cycle tries again: {error}")
        return None


def open_questions(ctx: Context, session: Session) -> list[list[str]]:
    """What waits for a person, each with what to type."""
    asked = records.open_escalations(session=session, project=ctx.project)
    return [[f"waits for you: {e.title}", *(f"  {each}" for each in commands(ctx, session, e.key))] for e in asked]


def _audit(
    ctx: Context, name: str, started: Any, sweep: dict[str, Any], digest: dict[str, Any]
) -> list[dict[str, Any]]:
    """The mission's checklist for each automated cycle, answered from what the database and the files show."""
    with ctx.sessions.begin() as session:
        seen = board_history.last_seen(session=session, project=ctx.project)
        fresh = [board for board, at in seen.items() if at is not None and at >= started]
        compared = all(
            (latest := snapshots.latest(session=session, project=ctx.project, board=board, with_entries=False))
            is not None
            and snapshots.changes_of(session=session, snapshot_id=latest.id) is not None
            for board in fresh
        )
        queue = hypotheses.queue(session=session, project=ctx.project)
        ranked = queue == sorted(queue, key=place)
        logged = records.logged(session=session, project=ctx.project, since=started)
        ran = sweep["experiments"]
        decided = all(e["decision_id"] is not None or e["outcome"] in {"failed_validation", "paused"} for e in ran)
        checks = [
            _check("boards scraped and gap matrix updated", len(fresh) == len(ctx.boards), f"{len(fresh)} fresh"),
            _check("competitive delta generated", compared, "each fresh snapshot is compared"),
            _check("papers screened", *screened(ctx, session)),
            _check("queue re-ranked", ranked, f"{len(queue)} open"),
            _check(
                "highest-priority experiment run", bool(ran), ", ".join(e["hypothesis_id"] for e in ran) or "none"
            ),
            _check("decision made and logged", decided and (not ran or bool(logged)), f"{len(logged)} rows"),
            _check("digest written", (ctx.home / digest["path"]).exists(), digest["path"]),
        ]
        records.audit(session=session, project=ctx.project, cycle=name, checks=checks)
    return checks


def _check(name: str, passed: bool | None, note: str) -> dict[str, Any]:
    """``passed`` is None for a check that does not apply to this cycle."""
    return {"check": name, "passed": passed, "note": note}


def _standing(position: Position) -> str:
    rank = "not listed" if position.rank is None else f"#{position.rank}"
    gap = "" if position.gap is None else f" | Gap to #{2 if position.rank == 1 else 1}: {position.gap:+.3f}"
    return f"[STATUS] {position.board}: {rank}{gap}"


def _shape(position: Position) -> dict[str, Any]:
    return {"board": position.board, "rank": position.rank, "score": position.score, "gap": position.gap}
