"""What is known of production over time: the metrics that are watched, and what they were measured on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from sqlalchemy.orm import Session

from auto_benchmark.contract.trial import Split
from auto_benchmark.db.repositories import defense, observations, records
from auto_benchmark.db.repositories.defense import ProductionTrial
from auto_benchmark.experiments.gate.evidence import CONTROL_PURPOSES
from auto_benchmark.kinds import LogKind, Purpose
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import production_config
from auto_benchmark.project.gate_items import draw_now
from auto_benchmark.project.solution_code import fingerprint_on
from auto_benchmark.promotion.defense import Loss, Watched, causes
from auto_benchmark.promotion.production import ProductionConfig
from auto_benchmark.stats.noise import PooledNoise

BASELINE = 12
"""Earliest trials of production that later ones are compared with."""
FIRST_SEED = 3 * 2**29
SEEDS_PER_CONFIG = 100_000
CONFIRMING = 50_000
"""From here on within a configuration's seeds: trials that confirm an alarm."""


@dataclass(frozen=True, slots=True)
class WatchedMetric:
    """A metric that is watched, with what is known about it and who cares."""

    watched: Watched
    board: str | None
    refuted: int = 0
    """Earlier alarms that fresh trials did not confirm."""

    @property
    def what(self) -> str:
        """``MemoryBench accuracy`` or ``latency_ms``."""
        return f"{self.board} {self.watched.metric}" if self.board else self.watched.metric


def readings(ctx: Context, session: Session, config: ProductionConfig) -> list[ProductionTrial]:
    """Finished trials of a configuration that may be its control, in the order in which they ended."""
    return defense.readings(
        session=session, project=ctx.project, config_hash=config.config_hash, tree=config.candidate.tree,
        purposes=CONTROL_PURPOSES,
    )  # fmt: skip


def confirming(found: Sequence[ProductionTrial]) -> list[ProductionTrial]:
    """Those that were run to confirm an alarm."""
    return [r for r in found if r.seed >= FIRST_SEED and (r.seed - FIRST_SEED) % SEEDS_PER_CONFIG >= CONFIRMING]


def cases(ctx: Context, session: Session, config: ProductionConfig) -> list[WatchedMetric]:
    """Every board's metric and every guard with its baseline and the trials since."""
    known = readings(ctx, session, config)
    baseline = known[:BASELINE]
    ended = {r.trial_id for r in baseline} | {r.trial_id for r in confirming(known)}
    suspects = [r.trial_id for r in known[BASELINE:]]
    refuted = _refuted(ctx, session, config)
    later = [r for r in known if r.purpose == Purpose.DEFENSE and r.trial_id not in ended]
    found = []
    for metric, board, higher, tolerated in _metrics(ctx, baseline):
        noise = observations.pooled_noise(
            session=session, project=ctx.project, solution=config.candidate.solution,
            benchmark=config.candidate.benchmark.name,
            version=config.candidate.benchmark.version, metric=metric, without=suspects,
        )  # fmt: skip
        if noise is None:
            continue
        what = f"{board} {metric}" if board else metric
        since = max(refuted.get(what, [0]))
        watched = Watched(
            metric=metric, higher_is_better=higher, tolerated=tolerated, noise=PooledNoise(noise.sd, noise.df),
            baseline=[r.metrics[metric] for r in baseline if metric in r.metrics],
            scores=[
                r.metrics[metric]
                for r in later
                if metric in r.metrics and r.trial_id > since
            ],
        )  # fmt: skip
        found.append(WatchedMetric(watched, board, len(refuted.get(what, ()))))
    return found


def _metrics(ctx: Context, baseline: Sequence[ProductionTrial]) -> list[tuple[str, str | None, bool, float]]:
    """(metric, board, higher is better, tolerated loss) for boards, then guards."""
    found: list[tuple[str, str | None, bool, float]] = []
    for board in ctx.boards:
        if (measured := ctx.metric_of(board.name)) is not None:
            threshold = ctx.config.registry.promotion_threshold(board)
            found.append((measured[0], board.name, measured[1], threshold))
    for guard in ctx.bench.guards:
        values = [r.metrics[guard.name] for r in baseline if guard.name in r.metrics]
        if values:
            found.append((guard.name, None, guard.higher_is_better, guard.tolerated(fmean(values))))
    return found


def _refuted(ctx: Context, session: Session, config: ProductionConfig) -> dict[str, list[int]]:
    """Metric -> for each alarm that was not confirmed, the trial after which its watch began anew."""
    logged = records.logged(session=session, project=ctx.project, kind=LogKind.FALSE_ALARM, limit=1000)
    found: dict[str, list[int]] = {}
    for entry in logged:
        if entry.inputs["production_config_id"] == config.id:
            found.setdefault(entry.subject, []).append(entry.inputs["after_trial"])
    return found


def start_anew(
    ctx: Context,
    session: Session,
    config: ProductionConfig,
    case: WatchedMetric,
    fresh: Sequence[ProductionTrial],
    loss: Loss,
) -> None:
    """Note that fresh trials did not confirm an alarm; the metric's watch begins anew after them."""
    last = max(r.trial_id for r in fresh)
    records.log(
        session=session, project=ctx.project, key=f"{LogKind.FALSE_ALARM}/{config.id}/{case.what}/{last}",
        kind=LogKind.FALSE_ALARM, subject=case.what,
        reason=f"alarm not confirmed by {len(fresh)} fresh trials: loss {loss.loss:+.4g}, "
        f"{loss.z:.2f} standard errors of the {loss.limit:.2f} that it takes",
        inputs={"production_config_id": config.id, "after_trial": last},
    )  # fmt: skip


def facts_now(ctx: Context, session: Session) -> dict[str, str]:
    """The present environment: the bench's fingerprint and a checksum of the data on disk."""
    tree = production_config(ctx, session).candidate.tree
    return {**fingerprint_on(ctx, tree), "inputs": _view_digest(ctx, draw_now(ctx, session))}


def _view_digest(ctx: Context, draw: int) -> str:
    """Checksum of the files on disk that production's trials read."""
    digest = hashlib.sha256()
    for file in sorted(ctx.bench.data.view(Split.GATE, draw=draw).rglob("*")):
        if file.is_file():
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def facts_then(ctx: Context, session: Session, config: ProductionConfig) -> dict[str, str]:
    """The environment of production's first trials, with the data as first seen in its defense."""
    known = readings(ctx, session, config)
    facts = {k: str(v) for k, v in known[0].fingerprint.items()} if known else {}
    logged = records.logged(session=session, project=ctx.project, kind=LogKind.ENVIRONMENT, limit=1000)
    seen = [e.inputs["inputs"] for e in logged if e.inputs["production_config_id"] == config.id]
    return {**facts, "inputs": seen[-1]} if seen else facts


def note_environment(ctx: Context, session: Session, config: ProductionConfig) -> None:
    """Log each environment that production was measured in, once; say so when it changed."""
    before, now = facts_then(ctx, session, config), facts_now(ctx, session)
    changed = any(before[k] != now[k] for k in before.keys() & now.keys())
    reason = "; ".join(causes(before, now)) if changed else "production is measured in this environment"
    new = records.log(
        session=session, project=ctx.project, key=f"environment/{config.id}/{now['key']}/{now['inputs']}",
        kind=LogKind.ENVIRONMENT, subject=f"production {config.id}", reason=reason,
        inputs={"production_config_id": config.id, **now},
    )  # fmt: skip
    if new and changed:
        ctx.say(f"[ALERT] production's environment changed: {reason}")
