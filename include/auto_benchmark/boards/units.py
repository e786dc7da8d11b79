"""Our measurements in the unit of a board, and what is odd about the pair."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from sqlalchemy.orm import Session

from auto_benchmark.contract.trial import BenchmarkRef, Stage, config_hash
from auto_benchmark.db.repositories import observations, production
from auto_benchmark.kinds import Purpose
from auto_benchmark.leaderboards.unit import mismatch
from auto_benchmark.project.board_units import board_factor, rival_scores
from auto_benchmark.project.context import Context
from auto_benchmark.project.gate_items import draw_now
from auto_benchmark.project.solution_code import environment_key
from auto_benchmark.promotion.production import ProductionCandidate
from auto_benchmark.registry.leaderboard import Leaderboard


def factor_of(ctx: Context, session: Session, board: str, *, measured: float | None = None) -> float:
    """What a measurement is multiplied by to stand in the board's unit; 1 where nothing is known.

    - ``measured``: a score of the metric that stands for the board; production's where it is not given.
    """
    if ctx.metric_of(board) is None:
        return 1.0
    return board_factor(ctx, session, board, _score(ctx, session, board) if measured is None else measured)


def measured_score(ctx: Context, session: Session, board: str) -> float | None:
    """Our own measurement of production, in the board's unit; None before the first one."""
    if ctx.metric_of(board) is None:
        return None
    score = _score(ctx, session, board)
    return None if score is None else round(score * factor_of(ctx, session, board, measured=score), 6)


def searched_score(ctx: Context, session: Session, board: str) -> float | None:
    """Production's mean on the search split, in the board's unit: the measurement that may steer what is tried next.

    What production scores on the gate's items is for people and decisions alone.
    """
    measured_by, current = ctx.metric_of(board), production.current(session=session, project=ctx.project)
    if measured_by is None or current is None:
        return None
    held = current.candidate
    mean = _mean(
        ctx, session, held, measured_by[0], ctx.bench.ref, stage=Stage.FAST, purposes=[Purpose.SEARCH], tree=held.tree
    )
    return None if mean is None else round(mean * factor_of(ctx, session, board, measured=mean), 6)


def other_unit(ctx: Context, session: Session, board: Leaderboard) -> str | None:
    """Why the board and the metric that stands for it can hardly be the same; None where they may."""
    scores = rival_scores(ctx, session, board.name)
    return mismatch(scores, _score(ctx, session, board.name), factor_of(ctx, session, board.name))


def _score(ctx: Context, session: Session, board: str) -> float | None:
    """Of the promotion's fresh seeds; what a registry declares is the board's score, so that trials speak then."""
    current = production.current(session=session, project=ctx.project)
    measured_by = ctx.metric_of(board)
    if current is None or measured_by is None:
        return None
    held, declared = current.candidate, ctx.config.registry.our_solution.current_scores
    if board in held.scores and (held.decision_id is not None or held.scores[board] != declared.get(board)):
        return held.scores[board]
    # what was measured on items drawn before counts until it is repeated
    draws = map(ctx.bench.ref_of, range(draw_now(ctx, session), 0, -1))
    purposes = [Purpose.CONTROL, Purpose.DEFENSE, Purpose.ESTIMATE]
    means = (
        _mean(ctx, session, held, measured_by[0], ref, stage=Stage.FULL, purposes=purposes, tree=None)
        for ref in draws
    )
    return next((mean for mean in means if mean is not None), None)


def _mean(
    ctx: Context, session: Session, held: ProductionCandidate, metric: str, ref: BenchmarkRef, *, stage: Stage,
    purposes: Sequence[Purpose], tree: str | None,
) -> float | None:  # fmt: skip
    """Over the trials of a configuration on one benchmark that have a value of ``metric``; None where none has."""
    found = observations.of_config(
        session=session, project=ctx.project, stage=stage, purposes=purposes, tree=tree,
        config_hash=config_hash(held.solution, held.params, ref), fingerprint_hash=environment_key(ctx, held.tree),
    )  # fmt: skip
    values = [f.observation.metrics[metric] for f in found if metric in f.observation.metrics]
    return fmean(values) if values else None
