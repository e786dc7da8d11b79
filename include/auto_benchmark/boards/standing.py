"""Where we stand on each board, which of them the loop works on now, and how urgent it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from auto_benchmark.boards.units import factor_of, measured_score, searched_score
from auto_benchmark.db.repositories import board_history, hypotheses, snapshots
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus, Urgency
from auto_benchmark.hypotheses.queue import ranked
from auto_benchmark.leaderboards.snapshot import Snapshot
from auto_benchmark.leaderboards.standing import lead, rivals
from auto_benchmark.leaderboards.triggers import threats
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import base_config, production_config
from auto_benchmark.promotion.production import Role
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.reporting.position import Position
from auto_benchmark.tables.naming import identities

Expected = Callable[[Context, Session, str], float | None]


def positions(ctx: Context, session: Session) -> list[Position]:
    """One position per watched board, in the registry's order."""
    seen = board_history.last_seen(session=session, project=ctx.project)
    return [_position(ctx, session, board.name, board.higher_is_better, seen.get(board.name)) for board in ctx.boards]


def stale_boards(ctx: Context, session: Session) -> list[str]:
    """Boards whose last good snapshot is older than ``freshness.max_age_hours``, or that were never read."""
    return [p.board for p in positions(ctx, session) if p.is_stale]


def _position(ctx: Context, session: Session, board: str, higher: bool, seen: datetime | None) -> Position:
    oldest = ctx.now() - timedelta(hours=ctx.config.schedule.freshness.max_age_hours)
    is_stale = seen is None or seen < oldest
    if not is_stale:
        is_stale = snapshots.last_problem(session=session, project=ctx.project, board=board) is not None
    history = board_history.history(session=session, project=ctx.project, board=board, limit=1)
    if not history:
        measured = measured_score(ctx, session, board)
        return Position(board, None, None, None, is_stale=True, measured=measured)
    now = history[-1].standing
    measured = measured_score(ctx, session, board)
    return Position(board, now.our_rank, now.our_score, now.gap(higher_is_better=higher), is_stale, seen, measured)


@dataclass(frozen=True, slots=True)
class Focus:
    """The board that decides what is tried next.

    Attributes:
        gap: our score against the best rival's; negative is behind, positive is a lead. Where we have no score yet, all
            of the rival's is missing.
        gap_fraction: what is missing / |the best rival's score|, which chooses the strategy; 0 while we lead.
        our_score: ours on the board; expected of production where the board does not list us yet.
        rival_score: the best competitor's score; None on an empty board.
        factor: what a measurement of ours is multiplied by to stand in the board's unit, in which the scores are.
    """

    board: str
    metric: str
    higher_is_better: bool
    our_rank: int | None
    our_score: float | None
    rival_score: float | None
    gap: float
    gap_fraction: float
    factor: float = 1.0

    @property
    def missing(self) -> float:
        """What is missing to the best rival in the benchmark's unit; 0 while we lead."""
        return max(-self.gap, 0.0) / self.factor

    @property
    def unit_note(self) -> str:
        """What a gain in the benchmark's unit is on the board; empty where both write scores alike."""
        if self.factor == 1:
            return ""
        return f"gains are in the benchmark's unit, where {1 / self.factor:g} is one point of the board"


def expected_of_production(ctx: Context, session: Session, board: str) -> float | None:
    """What production would score on a board that does not list it yet, as reports show it."""
    measured = measured_score(ctx, session, board)
    return production_config(ctx, session).candidate.scores.get(board) if measured is None else measured


def expected_in_search(ctx: Context, session: Session, board: str) -> float | None:
    """The same for whatever chooses what is tried next: the score on the search split, or what a person has declared.

    The gate's estimate would let the search depend on the gate's items.
    """
    searched = searched_score(ctx, session, board)
    return ctx.config.registry.our_solution.current_scores.get(board) if searched is None else searched


def focus(ctx: Context, session: Session, *, expected: Expected = expected_of_production) -> Focus:
    """The board with the largest gap among those that our benchmark measures; the smallest lead when we lead all.

    ``expected`` says what we would score on a board that does not list us; the search asks with :func:`search_focus`.
    """
    found = [
        f for f in (focus_on(ctx, session, board.name, expected=expected) for board in ctx.boards) if f is not None
    ]
    if not found:
        raise LookupError("no watched leaderboard is measured by the solution's benchmark")
    return min(found, key=lambda f: f.gap / f.factor)


def search_focus(ctx: Context, session: Session) -> Focus:
    """:func:`focus` for whatever chooses what is tried next: it knows nothing of the gate's items."""
    return focus(ctx, session, expected=expected_in_search)


def rivals_best(ctx: Context, snapshot: Snapshot, *, higher_is_better: bool) -> float | None:
    """The best score under none of our names."""
    scores = [e.score for e in rivals(snapshot.entries, identities(ctx.ours)) if e.score is not None]
    return (max(scores) if higher_is_better else min(scores)) if scores else None


def focus_on(
    ctx: Context, session: Session, board: str, *, expected: Expected = expected_of_production
) -> Focus | None:
    """One board as :func:`focus` sees it; None where the benchmark does not measure it."""
    measured = ctx.metric_of(board)
    if measured is None:
        return None
    metric, higher = measured
    snapshot = snapshots.latest(session=session, project=ctx.project, board=board)
    history = board_history.history(session=session, project=ctx.project, board=board, limit=1)
    standing = history[-1].standing if history else None
    our_score, factor = standing.our_score if standing else None, factor_of(ctx, session, board)
    if our_score is None:
        our_score = expected(ctx, session, board)
    rival = rivals_best(ctx, snapshot, higher_is_better=higher) if snapshot else None
    gap, fraction = 0.0, 0.0
    if rival is not None:
        gap = -abs(rival) if our_score is None else lead(our_score, rival, higher_is_better=higher)
        fraction = _fraction(gap, rival)
    rank = standing.our_rank if standing else None
    return Focus(board, metric, higher, rank, our_score, rival, gap, fraction, factor)


def at_our_best(ctx: Context, session: Session, aim: Focus) -> Focus:
    """``aim`` with the best that is known of us: what the board shows, or what we measured of production or challenger.

    For what people are asked: a better entry that only has to be handed in asks for no further change.
    """
    base = base_config(ctx, session)
    confirmed = base.candidate.scores.get(aim.board) if base.role is Role.CHALLENGER else None
    challenger = None if confirmed is None else confirmed * aim.factor
    ours = [s for s in (aim.our_score, measured_score(ctx, session, aim.board), challenger) if s is not None]
    if not ours or aim.rival_score is None:
        return aim
    best = max(ours) if aim.higher_is_better else min(ours)
    gap = lead(best, aim.rival_score, higher_is_better=aim.higher_is_better)
    return replace(aim, our_score=best, gap=gap, gap_fraction=_fraction(gap, aim.rival_score))


def _fraction(gap: float, rival: float) -> float:
    """How far we are behind, as a share of the rival's score; 0 while we lead."""
    return max(-gap, 0.0) / abs(rival) if rival else 0.0


def usual_urgency(ctx: Context, session: Session) -> Urgency:
    """Low while we lead every board that we are measured for and no rival is within 5 %; normal otherwise."""
    measured = [p for p in positions(ctx, session) if ctx.metric_of(p.board) is not None]
    if not measured or any(p.rank != 1 for p in measured):
        return Urgency.NORMAL
    pressed = any(threats_on(ctx, session, ctx.board(p.board)) for p in measured)
    return Urgency.NORMAL if pressed else Urgency.LOW


def back_to_attack(ctx: Context, session: Session) -> None:
    """Raise what was queued at low urgency while we led, once we are overtaken or pressed."""
    queued = hypotheses.listed(session=session, project=ctx.project, statuses=[HypothesisStatus.QUEUED])
    low = [h for h in queued if h.urgency is Urgency.LOW]
    if not low or usual_urgency(ctx, session) is Urgency.LOW:
        return
    for hypothesis in low:
        raised = ranked(hypothesis, urgency=Urgency.NORMAL)
        hypotheses.set_priority(session=session, project=ctx.project, hypothesis=raised)


def threats_on(ctx: Context, session: Session, board: Leaderboard) -> list[tuple[str, float]]:
    """Systems and scores close behind us on a board that we lead; none where we do not."""
    history = board_history.history(session=session, project=ctx.project, board=board.name, limit=1)
    snapshot = snapshots.latest(session=session, project=ctx.project, board=board.name)
    if not history or snapshot is None or history[-1].standing.our_rank != 1:
        return []
    score = history[-1].standing.our_score
    if score is None:
        return []
    close = threats(snapshot.entries, ctx.ours, score, higher_is_better=board.higher_is_better)
    return [(entry.system, entry.score) for entry in close if entry.score is not None]
