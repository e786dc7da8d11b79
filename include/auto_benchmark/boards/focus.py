"""Which board the loop works on now, and from which configuration it starts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import production, snapshots
from auto_benchmark.leaderboards.snapshot import Snapshot
from auto_benchmark.leaderboards.standing import lead, rivals
from auto_benchmark.project.context import Context
from auto_benchmark.project.gate_items import gate_ref
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
    """

    board: str
    metric: str
    higher_is_better: bool
    our_rank: int | None
    our_score: float | None
    rival_score: float | None
    gap: float
    gap_fraction: float


def focus(ctx: Context, session: Session) -> Focus:
    """The board with the largest gap among those that our benchmark measures; the smallest lead when we lead all."""
    found = [f for f in (_focus_on(ctx, session, board.name) for board in ctx.boards) if f is not None]
    if not found:
        raise LookupError("no watched leaderboard is measured by the solution's benchmark")
    return min(found, key=lambda f: f.gap)


def rivals_best(ctx: Context, snapshot: Snapshot, *, higher_is_better: bool) -> float | None:
    """The best score under none of our names."""
    scores = [e.score for e in rivals(snapshot.entries, identities(ctx.ours)) if e.score is not None]
    return (max(scores) if higher_is_better else min(scores)) if scores else None


def production_config(ctx: Context, session: Session) -> ProductionConfig:
    """The configuration in production. ``reconcile`` has made sure that there is one."""
    current = production.current(session=session, project=ctx.project)
    if current is None:
        raise LookupError("no production configuration; run reconcile first")
    return on_present_data(ctx, session, current)


def on_present_data(ctx: Context, session: Session, held: ProductionConfig) -> ProductionConfig:
    """The configuration as the gate's present items measure it: no trial on others counts for it."""
    if held.candidate.benchmark.name != ctx.bench.ref.name:
        return held
    return replace(held, candidate=replace(held.candidate, benchmark=gate_ref(ctx, session)))


def base_config(ctx: Context, session: Session) -> ProductionConfig:
    """Where experiments start: the challenger if there is one, else production."""
    challenger = production.current(session=session, project=ctx.project, role=Role.CHALLENGER)
    return on_present_data(ctx, session, challenger) if challenger else production_config(ctx, session)


def _focus_on(ctx: Context, session: Session, board: str) -> Focus | None:
    measured = ctx.metric_of(board)
    if measured is None:
        return None
    metric, higher = measured
    snapshot = snapshots.latest(session=session, project=ctx.project, board=board)
    history = snapshots.history(session=session, project=ctx.project, board=board, limit=1)
    standing = history[-1].standing if history else None
    our_score = standing.our_score if standing else None
    if our_score is None:
        our_score = production_config(ctx, session).candidate.scores.get(board)
    rival = rivals_best(ctx, snapshot, higher_is_better=higher) if snapshot else None
    gap, fraction = 0.0, 0.0
    if rival is not None:
        gap = -abs(rival) if our_score is None else lead(our_score, rival, higher_is_better=higher)
        fraction = max(-gap, 0.0) / abs(rival) if rival else 0.0
    return Focus(board, metric, higher, standing.our_rank if standing else None, our_score, rival, gap, fraction)
