"""Where a project stands: everything that ``status`` shows, in a handful of queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from auto_benchmark.db.models import Leaderboard, LeaderboardSnapshot
from auto_benchmark.db.repositories import decisions, hypotheses, outbox, production, records, split_queries, trials
from auto_benchmark.experiments.trial import TrialState
from auto_benchmark.hypotheses.hypothesis import Hypothesis
from auto_benchmark.leaderboards.snapshot import SnapshotStatus, Standing
from auto_benchmark.promotion.production import ProductionConfig, RecordedDecision


@dataclass(frozen=True, slots=True)
class BoardStatus:
    """One active board. ``standing`` and ``last_seen_at`` are None before its first good reading."""

    board: str
    metric: str
    higher_is_better: bool
    standing: Standing | None
    last_seen_at: datetime | None

    @property
    def gap(self) -> float | None:
        """Our score minus the leader's, signed so that behind is negative in either direction of the metric."""
        if self.standing is None or self.standing.our_score is None or self.standing.leader_score is None:
            return None
        difference = self.standing.our_score - self.standing.leader_score
        return difference if self.higher_is_better else -difference

    @property
    def mode(self) -> str:
        """``defense`` while we share rank 1, ``attack`` otherwise."""
        return "defense" if self.standing is not None and self.standing.our_rank == 1 else "attack"


@dataclass(frozen=True, slots=True)
class ProjectStatus:
    """One project. ``alpha_wealth`` and ``aa_rate`` are None before anything has been decided."""

    project: str
    boards: tuple[BoardStatus, ...]
    queue: tuple[Hypothesis, ...]
    decisions: tuple[RecordedDecision, ...]
    production: ProductionConfig | None
    trials: Mapping[TrialState, int]
    alpha_wealth: float | None
    aa_rate: float | None
    split_queries: Mapping[str, Mapping[str, int]]
    outbox: Mapping[str, int]
    escalations: tuple[records.OpenEscalation, ...]


def boards(*, session: Session, project: str) -> list[BoardStatus]:
    """The active boards in the registry's order, each with its newest good reading."""
    s = LeaderboardSnapshot
    newest = (
        select(s.our_rank, s.our_score, s.leader, s.leader_score, s.runner_up_score, s.last_seen_at)
        .where(s.leaderboard_id == Leaderboard.id, s.status == SnapshotStatus.OK.value)
        .order_by(s.fetched_at.desc(), s.id.desc())
        .limit(1)
        .lateral()
    )
    query = (
        select(Leaderboard.name, Leaderboard.metric, Leaderboard.higher_is_better, newest)
        .outerjoin_from(Leaderboard, newest, onclause=Leaderboard.id.is_not(None))
        .where(Leaderboard.project == project, Leaderboard.active)
        .order_by(Leaderboard.position)
    )
    found = []
    for row in session.execute(query).all():
        name, metric, higher, *seen, last_seen_at = row
        known = Standing(*seen) if last_seen_at is not None else None
        found.append(BoardStatus(name, metric, higher, known, last_seen_at))
    return found


def of_project(*, session: Session, project: str, queue: int = 10, decided: int = 10) -> ProjectStatus:
    """Everything about a project: its boards, the head of its queue, its newest decisions, its budgets."""
    return ProjectStatus(
        project=project,
        boards=tuple(boards(session=session, project=project)),
        queue=tuple(hypotheses.queue(session=session, project=project, limit=queue)),
        decisions=tuple(decisions.latest(session=session, project=project, limit=decided)),
        production=production.current(session=session, project=project),
        trials=trials.counts(session=session, project=project),
        alpha_wealth=decisions.alpha_wealth(session=session, project=project),
        aa_rate=decisions.aa_rate(session=session, project=project),
        split_queries=split_queries.by_split(session=session, project=project),
        outbox=outbox.pending(session=session, project=project),
        escalations=tuple(records.open_escalations(session=session, project=project)),
    )
