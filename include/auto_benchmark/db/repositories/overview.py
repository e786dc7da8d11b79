"""Reads for pages that people look at: a fixed number of statements each, however much data there is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, case, func, lateral, or_, select, true
from sqlalchemy.orm import Session, aliased

from auto_benchmark.db.models import (
    DecisionLog,
    Experiment,
    Leaderboard,
    LeaderboardEntry,
    LeaderboardSnapshot,
    PromotionDecision,
)
from auto_benchmark.kinds import LogKind
from auto_benchmark.leaderboards.snapshot import SnapshotStatus
from auto_benchmark.leaderboards.standing import Standing
from auto_benchmark.registry.leaderboard import Leaderboard as Board


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One board now, and our rank and score one good snapshot before.

    ``trouble`` is the status of a reading that has failed since, ``reason`` why.
    """

    name: str
    metric: str
    higher_is_better: bool
    snapshot_id: int | None
    fetched_at: datetime | None
    last_seen_at: datetime | None
    n_entries: int | None
    our_rank: int | None
    our_score: float | None
    leader: str | None
    leader_score: float | None
    runner_up_score: float | None
    rank_before: int | None
    score_before: float | None
    trouble: str | None
    reason: str | None

    @property
    def gap(self) -> float | None:
        """As :meth:`Standing.gap` has it."""
        now = Standing(self.our_rank, self.our_score, self.leader, self.leader_score, self.runner_up_score)
        return now.gap(higher_is_better=self.higher_is_better)


@dataclass(frozen=True, slots=True)
class SortKey:
    """What a board can be sorted by; None where it is not known."""

    board: str
    rank: int | None
    score: float | None
    gap: float | None
    freshness: datetime | None


@dataclass(frozen=True, slots=True)
class DecidedRow:
    """One decision without the evidence, which may be megabytes."""

    id: int
    hypothesis_id: str | None
    kind: str
    look: int
    verdict: str
    reason: str
    decision_json: str
    sha256: str
    trial_ids: Sequence[int]
    alpha_spent: float | None
    alpha_wealth: float | None
    decided_at: datetime


def names(*, session: Session, project: str, text: str = "", limit: int | None = None) -> list[str]:
    """Active boards in the registry's order, optionally those whose name contains ``text``."""
    b = Leaderboard
    query = select(b.name).where(b.project == project, b.active).order_by(b.position).limit(limit)
    if text:
        query = query.where(b.name.icontains(text, autoescape=True))
    return list(session.scalars(query))


def specs(*, session: Session, project: str, boards: Collection[str]) -> dict[str, Board]:
    """Board -> how it is declared."""
    b = Leaderboard
    query = select(b.name, b.spec).where(b.project == project, b.name.in_(list(boards)))
    return {name: Board.model_validate(spec) for name, spec in session.execute(query).tuples()}


def sort_keys(*, session: Session, project: str, text: str = "") -> list[SortKey]:
    """What the boards of :func:`names` can be sorted by, from their newest good snapshots."""
    b, now = Leaderboard, _nth_good(0)
    query = (
        select(
            b.name, b.higher_is_better, now.c.our_rank, now.c.our_score, now.c.leader_score, now.c.runner_up_score,
            now.c.last_seen_at,
        )
        .select_from(b)
        .outerjoin(now, true())
        .where(b.project == project, b.active)
        .order_by(b.position)
    )  # fmt: skip
    if text:
        query = query.where(b.name.icontains(text, autoescape=True))
    return [
        SortKey(name, rank, score, Standing(rank, score, None, leader, runner_up).gap(higher_is_better=higher), seen)
        for name, higher, rank, score, leader, runner_up, seen in session.execute(query).tuples()
    ]


def boards(*, session: Session, project: str, names: Collection[str]) -> list[BoardRow]:
    """These boards, in the registry's order."""
    b = Leaderboard
    now, before = _nth_good(0), _nth_good(1)
    s = aliased(LeaderboardSnapshot)
    failed = select(s.status, s.reason, s.last_seen_at).where(s.leaderboard_id == b.id, s.status.in_(_BAD))
    bad = lateral(failed.order_by(s.last_seen_at.desc()).limit(1).correlate(b)).alias("bad")
    is_newer = or_(now.c.last_seen_at.is_(None), bad.c.last_seen_at > now.c.last_seen_at)
    query = (
        select(
            b.name, b.metric, b.higher_is_better, now.c.id, now.c.fetched_at, now.c.last_seen_at, now.c.n_entries,
            now.c.our_rank, now.c.our_score, now.c.leader, now.c.leader_score, now.c.runner_up_score,
            before.c.our_rank, before.c.our_score, case((is_newer, bad.c.status)), bad.c.reason,
        )
        .select_from(b)
        .outerjoin(now, true())
        .outerjoin(before, true())
        .outerjoin(bad, true())
        .where(b.project == project, b.active, b.name.in_(list(names)))
        .order_by(b.position)
    )  # fmt: skip
    return [BoardRow(*row) for row in session.execute(query)]


def standings(*, session: Session, project: str, boards: Collection[str], each: int) -> dict[str, list[Standing]]:
    """Board -> its newest ``each`` standings at the ends of cycles, oldest first."""
    d = DecisionLog
    number = func.row_number().over(partition_by=d.subject, order_by=(d.created_at.desc(), d.id.desc()))
    ranked = (
        select(d.subject, d.inputs, d.id, number.label("number"))
        .where(d.project == project, d.kind == LogKind.STANDING, d.subject.in_(list(boards)))
        .subquery()
    )
    query = select(ranked.c.subject, ranked.c.inputs).where(ranked.c.number <= each).order_by(ranked.c.id)
    found: dict[str, list[Standing]] = {}
    for board, inputs in session.execute(query).tuples():
        facts = {name: inputs.get(name) for name in Standing.__dataclass_fields__}
        found.setdefault(board, []).append(Standing(**facts))
    return found


def entries(*, session: Session, snapshot_id: int, limit: int, offset: int = 0) -> list[LeaderboardEntry]:
    """A page of a snapshot's entries, best first."""
    e = LeaderboardEntry
    query = select(e).where(e.snapshot_id == snapshot_id, e.position >= offset).order_by(e.position).limit(limit)
    return list(session.scalars(query))


def scores_of(*, session: Session, snapshot_ids: Collection[int], systems: Collection[str]) -> list[Any]:
    """``(snapshot_id, system, score)`` of these systems (compared without case) on these snapshots, best last."""
    e = LeaderboardEntry
    wanted = [system.casefold() for system in systems]
    query = (
        select(e.snapshot_id, func.lower(e.system), e.score)
        .where(e.snapshot_id.in_(list(snapshot_ids)), func.lower(e.system).in_(wanted))
        .order_by(e.snapshot_id, e.position.desc())
    )
    return list(session.execute(query))


def decided(
    *, session: Session, project: str, limit: int = 20, before: int | None = None, hypothesis_id: str | None = None
) -> list[DecidedRow]:
    """Decisions, newest first; those with an id below ``before``, or on one hypothesis."""
    d = PromotionDecision
    query: Select[Any] = (
        select(
            d.id, Experiment.hypothesis_id, Experiment.kind, d.look, d.verdict, d.reason, d.decision, d.sha256,
            d.trial_ids, d.alpha_spent, d.alpha_wealth, d.decided_at,
        )
        .join(Experiment, Experiment.id == d.experiment_id)
        .where(d.project == project)
        .order_by(d.id.desc())
        .limit(limit)
    )  # fmt: skip
    if before is not None:
        query = query.where(d.id < before)
    if hypothesis_id is not None:
        query = query.where(Experiment.hypothesis_id == hypothesis_id)
    return [DecidedRow(*row) for row in session.execute(query)]


_BAD = [status.value for status in SnapshotStatus if status is not SnapshotStatus.OK]


def _nth_good(n: int) -> Any:
    s = aliased(LeaderboardSnapshot)
    good = (
        select(
            s.id, s.fetched_at, s.last_seen_at, s.n_entries, s.our_rank, s.our_score, s.leader, s.leader_score,
            s.runner_up_score,
        )
        .where(s.leaderboard_id == Leaderboard.id, s.status == SnapshotStatus.OK.value)
        .order_by(s.fetched_at.desc(), s.id.desc())
        .offset(n)
        .limit(1)
    )  # fmt: skip
    return lateral(good.correlate(Leaderboard)).alias(f"good_{n}")
