"""Which board the loop works on now, and from which configuration it starts."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from auto_benchmark.boards.units import factor_of, measured_score
from auto_benchmark.db.repositories import production, snapshots
from auto_benchmark.leaderboards.snapshot import Snapshot
from auto_benchmark.leaderboards.standing import lead, rivals
from auto_benchmark.project.context import Context
from auto_benchmark.promotion.production import ProductionConfig, Role
from auto_benchmark.tables.naming import identities


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


def focus(ctx: Context, session: Session) -> Focus:
    """The board with the largest gap among those that our benchmark measures; the smallest lead when we lead all."""
    found = [f for f in (focus_on(ctx, session, board.name) for board in ctx.boards) if f is not None]
    if not found:
        raise LookupError("no watched leaderboard is measured by the solution's benchmark")
    return min(found, key=lambda f: f.gap / f.factor)


def rivals_best(ctx: Context, snapshot: Snapshot, *, higher_is_better: bool) -> float | None:
    """The best score under none of our names."""
    scores = [e.score for e in rivals(snapshot.entries, identities(ctx.ours)) if e.score is not None]
    return (max(scores) if higher_is_better else min(scores)) if scores else None


def production_config(ctx: Context, session: Session) -> ProductionConfig:
    """The configuration in production. ``reconcile`` has made sure that there is one."""
    current = production.current(session=session, project=ctx.project)
    if current is None:
        raise LookupError("no production configuration; run reconcile first")
    return current


def base_config(ctx: Context, session: Session) -> ProductionConfig:
    """Where experiments start: the challenger if there is one, else production."""
    challenger = production.current(session=session, project=ctx.project, role=Role.CHALLENGER)
    return challenger or production_config(ctx, session)


def focus_on(ctx: Context, session: Session, board: str) -> Focus | None:
    """One board as :func:`focus` sees it; None where the benchmark does not measure it."""
    measured = ctx.metric_of(board)
    if measured is None:
        return None
    metric, higher = measured
    snapshot = snapshots.latest(session=session, project=ctx.project, board=board)
    history = snapshots.history(session=session, project=ctx.project, board=board, limit=1)
    standing = history[-1].standing if history else None
    our_score, factor = standing.our_score if standing else None, factor_of(ctx, session, board)
    if our_score is None:
        our_score = measured_score(ctx, session, board)
    if our_score is None:
        our_score = production_config(ctx, session).candidate.scores.get(board)
    rival = rivals_best(ctx, snapshot, higher_is_better=higher) if snapshot else None
    gap, fraction = 0.0, 0.0
    if rival is not None:
        gap = -abs(rival) if our_score is None else lead(our_score, rival, higher_is_better=higher)
        fraction = max(-gap, 0.0) / abs(rival) if rival else 0.0
    rank = standing.our_rank if standing else None
    return Focus(board, metric, higher, rank, our_score, rival, gap, fraction, factor)
