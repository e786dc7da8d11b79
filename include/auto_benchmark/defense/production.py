"""``production_defense``: measure production again, find regressions, go back where that helps, watch entrants.

Its trials are production's control for every experiment; fresh ones each cycle keep it from growing old.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.boards.standing import positions, threats_on
from auto_benchmark.contract.record import TrialPlan
from auto_benchmark.db.repositories import defense, records, trials
from auto_benchmark.defense.response import FRESH, before_production, respond_to
from auto_benchmark.defense.watch import (
    CONFIRMING,
    FIRST_SEED,
    SEEDS_PER_CONFIG,
    cases,
    confirming,
    facts_now,
    facts_then,
    note_environment,
    readings,
    start_anew,
)
from auto_benchmark.experiments.gate.planning import trial_plan
from auto_benchmark.kinds import LogKind, Purpose
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import production_config
from auto_benchmark.project.reconcile import render_views
from auto_benchmark.promotion.defense import causes, confirm, rings
from auto_benchmark.promotion.production import ProductionConfig

PER_CYCLE = 2
"""Trials of production in each cycle."""


def is_leading(ctx: Context) -> bool:
    """Whether we are #1 on some board: there is something to defend."""
    with ctx.sessions() as session:
        return any(position.rank == 1 for position in positions(ctx, session))


def plan_defense(ctx: Context) -> list[int]:
    """Plan this cycle's trials of production; those that an earlier run left come first."""
    with ctx.sessions.begin() as session:
        current = production_config(ctx, session)
        return _plan_next(ctx, session, current, count=PER_CYCLE, offset=0)


def detect(ctx: Context) -> list[str]:
    """Names of the metrics whose alarm rings; also notes what the environment was and whether it changed."""
    with ctx.sessions.begin() as session:
        current = production_config(ctx, session)
        note_environment(ctx, session, current)
        return [case.what for case in cases(ctx, session, current) if rings(case.watched)]


def plan_confirmation(ctx: Context, alarms: Sequence[str]) -> list[int]:
    """Fresh seeds of production, each in a process of its own; none without an alarm."""
    if not alarms:
        return []
    with ctx.sessions.begin() as session:
        return _plan_next(ctx, session, production_config(ctx, session), count=FRESH, offset=CONFIRMING)


def confirm_alarms(ctx: Context, alarms: Sequence[str]) -> list[dict[str, Any]]:
    """Which alarms fresh trials confirm. The others start anew, so that one excursion rings once.

    Returns:
        One ``{"metric", "board", "baseline", "fresh", "loss", "tolerated", "causes"}`` per confirmed regression.
    """
    found = []
    with ctx.sessions.begin() as session:
        current = production_config(ctx, session)
        fresh = confirming(readings(ctx, session, current))[-FRESH:]
        for case in cases(ctx, session, current):
            values = [r.metrics[case.watched.metric] for r in fresh if case.watched.metric in r.metrics]
            if case.what not in alarms or not values:
                continue
            loss = confirm(case.watched, values, earlier=case.refuted)
            if not loss.confirmed:
                start_anew(ctx, session, current, case, fresh, loss)
                continue
            named = causes(facts_then(ctx, session, current), facts_now(ctx, session))
            found.append(
                {
                    "metric": loss.metric, "board": case.board, "baseline": loss.baseline, "fresh": loss.fresh,
                    "loss": loss.loss, "tolerated": case.watched.tolerated, "causes": named,
                }
            )  # fmt: skip
    return found


def plan_comparison(ctx: Context, regressions: Sequence[dict[str, Any]]) -> list[int]:
    """Trials of the configuration before production, now: going back is only right where it is better today."""
    if not regressions:
        return []
    with ctx.sessions.begin() as session:
        before = before_production(ctx, session)
        return [] if before is None else _plan_next(ctx, session, before, count=FRESH, offset=CONFIRMING)


def respond(ctx: Context, regressions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Go back to the previous configuration if it is better now, else hand the case to people; once per metric."""
    told = []
    for regression in regressions:
        with ctx.sessions.begin() as session:
            action = respond_to(ctx, session, regression)
        told.append({**regression, "action": action})
        if action == "rolled_back":
            render_views(ctx)
            break
    return told


def watch_entrants(ctx: Context) -> list[dict[str, Any]]:
    """Competitors within 5 % behind us on boards that we lead."""
    found = []
    with ctx.sessions.begin() as session:
        for board in ctx.boards:
            for name, score in threats_on(ctx, session, board):
                found.append({"board": board.name, "system": name, "score": score})
                records.log(
                    session=session, project=ctx.project, key=f"entrant/{board.name}/{name}/{score}", kind=LogKind.ENTRANT,
                    subject=board.name, inputs={"system": name, "score": score},
                    reason=f"{name} is within 5 % of our score on {board.name}: hypotheses before it passes us",
                )  # fmt: skip
    return found


def _plan_next(ctx: Context, session: Session, config: ProductionConfig, *, count: int, offset: int) -> list[int]:
    """Ids of the next ``count`` trials: those planned and not finished, then new seeds."""
    first = FIRST_SEED + config.id * SEEDS_PER_CONFIG + offset
    mine = range(first, first + CONFIRMING)
    planned = defense.planned_seeds(
        session=session, project=ctx.project, config_hash=config.config_hash, tree=config.candidate.tree,
        purpose=Purpose.DEFENSE,
    )  # fmt: skip
    known = {seed: done for seed, done in planned.items() if seed in mine}
    seeds = [seed for seed, done in sorted(known.items()) if not done]
    following = max(known, default=first - 1) + 1
    seeds += range(following, following + max(0, count - len(seeds)))
    held = config.candidate
    plans: list[TrialPlan] = [
        trial_plan(ctx, held.benchmark, held.params, seed, Purpose.DEFENSE, tree=held.tree) for seed in seeds[:count]
    ]
    return [t.id for t in trials.plan(session=session, project=ctx.project, plans=plans) if not t.state.is_finished]
