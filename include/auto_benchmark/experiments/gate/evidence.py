"""Gathers what a decision rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from sqlalchemy.orm import Session

from auto_benchmark.boards.standing import rivals_best
from auto_benchmark.boards.units import factor_of
from auto_benchmark.contract.measured import source_of
from auto_benchmark.contract.record import Experiment
from auto_benchmark.contract.trial import BenchmarkRef, Stage
from auto_benchmark.db.repositories import decisions, hypotheses, observations, production, snapshots, submissions
from auto_benchmark.db.repositories.observations import FinishedTrial
from auto_benchmark.experiments.gate.purse import purse
from auto_benchmark.hypotheses.origin import Origin
from auto_benchmark.kinds import Purpose
from auto_benchmark.leaderboards.snapshot import Snapshot
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import production_config
from auto_benchmark.project.solution_code import environment_key
from auto_benchmark.promotion.gate import ALPHA, Case, thaw
from auto_benchmark.promotion.guarding import gate_guards
from auto_benchmark.promotion.offset import Offset, learn
from auto_benchmark.promotion.other_board import OtherBoard
from auto_benchmark.promotion.production import ProductionConfig
from auto_benchmark.promotion.schema import Evidence, Failures, Observation

Configuration = tuple[str, str]
"""Hash of the configuration, and its code."""
POLICY = "sequential_wealth"
"""The level is held over the stream of a project's hypotheses."""
CONTROL_PURPOSES = (Purpose.CONTROL, Purpose.DEFENSE, Purpose.ESTIMATE)
"""Trials of production that may be its control: none of them helped to select it."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The gate's arguments, the trials behind them, and what is left of the project's level."""

    case: Case
    trial_ids: tuple[int, ...]
    remaining: float


def control(ctx: Context, session: Session, current: ProductionConfig, *, items_of: str | None) -> list[Observation]:
    """Production's trials on the gate split in the present environment."""
    of = (current.config_hash, current.candidate.tree)
    return [f.observation for f in _finished(ctx, session, of, CONTROL_PURPOSES, items_of)]


def production_on(ctx: Context, session: Session, data: BenchmarkRef | None) -> ProductionConfig:
    """Production as the items of ``data`` measure it; those that the gate asks now where it is None."""
    current = production_config(ctx, session)
    if data is None or data.name != current.candidate.benchmark.name:
        return current
    return replace(current, candidate=replace(current.candidate, benchmark=data))


def gather(
    ctx: Context, session: Session, experiment: Experiment, board: str, *, control: Configuration | None = None
) -> Gathered:
    """Everything that the database holds for a decision about ``experiment`` on ``board``.

    Args:
        ctx: the project.
        session: of the caller's transaction.
        experiment: the candidate.
        board: that the hypothesis is about.
        control: the configuration to compare with; production where it is not given.

    Raises:
        LookupError: when the benchmark does not measure the board.
    """
    measured = ctx.metric_of(board)
    if measured is None:
        raise LookupError(f"{board} is not measured by {ctx.bench.ref.name}")
    metric, _ = measured
    plan = experiment.plan
    candidate = _finished(ctx, session, (plan.config_hash, plan.tree), ("candidate",), metric)
    data = plan.benchmark
    current = production_on(ctx, session, data)
    against = control or (current.config_hash, current.candidate.tree)
    production_trials = _finished(ctx, session, against, CONTROL_PURPOSES, metric)
    made = decisions.of_experiment(session=session, experiment_id=experiment.id)
    held = purse(session=session, project=ctx.project, shares=ctx.config.schedule.gate.shares)
    case = gate_case(
        ctx,
        session,
        board,
        data=data,
        candidate=[f.observation for f in candidate],
        control=[f.observation for f in production_trials],
        trees=(plan.tree, against[1]),
        # a hypothesis keeps the level of its first look
        alpha=thaw(made[0].evidence_json).alpha if made else held.of(_origin(ctx, session, plan.key)).next_level,
        failures=(
            failures_of(ctx, session, (plan.config_hash, plan.tree), (Purpose.CANDIDATE,)),
            failures_of(ctx, session, against, CONTROL_PURPOSES),
        ),
    )
    return Gathered(case, tuple(f.trial_id for f in (*candidate, *production_trials)), held.remaining)


def _origin(ctx: Context, session: Session, hypothesis_id: str) -> str:
    """Whose part of the level a hypothesis spends."""
    found = hypotheses.get(session=session, project=ctx.project, hypothesis_id=hypothesis_id)
    return Origin.PERSON if found is None else found.origin


def gate_case(
    ctx: Context,
    session: Session,
    board: str,
    *,
    data: BenchmarkRef,
    candidate: Sequence[Observation],
    control: Sequence[Observation],
    trees: Sequence[str],
    alpha: float = ALPHA,
    failures: tuple[Failures, Failures] | None = None,
) -> Case:
    """Every argument of the gate for two sides' trials on ``board``, both of them on ``data``, with the code ``trees``.

    ``failures`` are the candidate's and the control's, where they count.

    Raises:
        LookupError: when the benchmark does not measure the board.
    """
    measured = ctx.metric_of(board)
    if measured is None:
        raise LookupError(f"{board} is not measured by {ctx.bench.ref.name}")
    metric, higher = measured
    snapshot = snapshots.latest(session=session, project=ctx.project, board=board)
    evidence = Evidence(
        policy=POLICY,
        metric=metric,
        higher_is_better=higher,
        promotion_threshold=ctx.config.registry.promotion_threshold(ctx.board(board)),
        leader_score=_leader(ctx, session, board, snapshot, candidate or control) if snapshot else None,
        noise=observations.pooled_noise(
            session=session,
            project=ctx.project,
            solution=ctx.bench.solution.solution.name,
            benchmark=data.name,
            version=data.version,
            metric=metric,
            fingerprint_hashes={environment_key(ctx, tree) for tree in trees},
        ),
        candidate=list(candidate),
        control=list(control),
        source=source_of(metric, ctx.bench.scored_metrics),
        candidate_failures=failures[0] if failures else None,
        control_failures=failures[1] if failures else None,
    )
    return Case(
        evidence=evidence,
        guards=gate_guards(ctx.bench.guards, metric, candidate, control, scored=ctx.bench.scored_metrics),
        other_boards=_others(ctx, board, candidate, control),
        offset=learned_offset(ctx, session, board, metric),
        alpha=alpha,
    )


def failures_of(ctx: Context, session: Session, wanted: Configuration, purposes: Sequence[str]) -> Failures:
    """Seeds of a configuration on the gate split, and those that failed, in the present environment."""
    config, tree = wanted
    return observations.failures_of(
        session=session, project=ctx.project, config_hash=config, tree=tree, stage=Stage.FULL, purposes=purposes,
        fingerprint_hash=environment_key(ctx, tree),
    )  # fmt: skip


def _leader(
    ctx: Context, session: Session, board: str, snapshot: Snapshot, measured: Sequence[Observation]
) -> float | None:
    """The best rival's score in the benchmark's unit, which these observations are in."""
    metric, higher = ctx.metric_of(board) or ("", True)
    score = rivals_best(ctx, snapshot, higher_is_better=higher)
    values = [o.metrics[metric] for o in measured if metric in o.metrics]
    return (
        None if score is None else score / factor_of(ctx, session, board, measured=fmean(values) if values else None)
    )


def learned_offset(ctx: Context, session: Session, board: str, metric: str) -> Offset | None:
    """What past submissions say about board score minus local score, in the benchmark's unit."""
    factor = factor_of(ctx, session, board)
    holders = {c.id: c for c in production.history(session=session, project=ctx.project)}
    pairs = []
    for submission in submissions.listed(session=session, project=ctx.project, board=board):
        holder = holders.get(submission.production_config_id)
        if submission.score is None or holder is None:
            continue
        local = [o.metrics[metric] for o in control(ctx, session, holder, items_of=None) if metric in o.metrics]
        if local:
            pairs.append((fmean(local), submission.score / factor))
    return learn(pairs)


def _finished(
    ctx: Context, session: Session, of: Configuration, purposes: Sequence[str], items_of: str | None
) -> list[FinishedTrial]:
    config_hash, tree = of
    return observations.of_config(
        session=session,
        project=ctx.project,
        config_hash=config_hash,
        stage=Stage.FULL,
        items_of=items_of,
        purposes=purposes,
        fingerprint_hash=environment_key(ctx, tree),
    )


def _others(
    ctx: Context, board: str, candidate: Sequence[Observation], production_trials: Sequence[Observation]
) -> list[OtherBoard]:
    """The project's other boards, as far as both sides have scores for them."""
    found = []
    for other in ctx.boards:
        measured = ctx.metric_of(other.name)
        if other.name == board or measured is None:
            continue
        metric, higher = measured
        sides = [[o.metrics[metric] for o in side if metric in o.metrics] for side in (candidate, production_trials)]
        if all(sides):
            margin = ctx.config.registry.promotion_threshold(other)
            found.append(
                OtherBoard(
                    name=other.name, higher_is_better=higher, margin=margin, candidate=sides[0], control=sides[1]
                )
            )
    return found
