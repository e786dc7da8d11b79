"""What follows a confirmed regression: back to the configuration before where that helps, else a brief for people."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import production, records
from auto_benchmark.defense.watch import confirming, readings
from auto_benchmark.hypotheses.escalation import regression_brief
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import on_present_data, production_config
from auto_benchmark.promotion.defense import repairs
from auto_benchmark.promotion.production import ProductionConfig

FRESH = 8
"""Trials that confirm an alarm, and as many of the configuration before."""


def before_production(ctx: Context, session: Session) -> ProductionConfig | None:
    """The configuration that a rollback would restore."""
    held = production.history(session=session, project=ctx.project)
    if not held:
        return None
    start = held[0].restores or held[0].id
    before = next((h for h in held if h.id < start and h.restores is None), None)
    return None if before is None else on_present_data(ctx, session, before)


def respond_to(ctx: Context, session: Session, regression: dict[str, Any]) -> str:
    """Roll back or escalate; returns ``rolled_back``, ``escalated``, or ``known`` for a case that was reported before.

    A loss of a guard (latency, memory) is never repaired by itself: it is a person's choice what speed is worth.
    """
    current, before = production_config(ctx, session), before_production(ctx, session)
    metric, board = regression["metric"], regression["board"]
    what = f"{board} {metric}" if board else metric
    key = f"regression/{current.id}/{what}"
    better, text = _is_better_now(ctx, session, current, before, regression)
    cause = "; ".join(regression["causes"])
    story = (
        f"{what}: {regression['baseline']:.4g} -> {regression['fresh']:.4g} on {FRESH} fresh trials; {cause}; {text}"
    )
    if not records.log(
        session=session, project=ctx.project, key=key, kind=LogKind.REGRESSION, subject=what, reason=story,
        inputs={"production_config_id": current.id, **regression},
    ):  # fmt: skip
        return "known"
    ctx.say(f"[ALERT] Production regressed: {story}")
    if better and board is not None:
        restored = production.rollback(session=session, project=ctx.project, reason=f"regression of {what}")
        records.log(
            session=session, project=ctx.project, key=f"rollback/{current.id}", kind=LogKind.ROLLBACK, subject=what,
            reason=f"{text}: production went back to the configuration before",
            inputs={"from": current.id, "to": restored.id},
        )  # fmt: skip
        return "rolled_back"
    brief = regression_brief(
        metric=what, baseline=regression["baseline"], fresh=regression["fresh"], trials=FRESH,
        causes=regression["causes"], previous=text, params=current.candidate.params,
    )  # fmt: skip
    records.escalate(
        session=session, project=ctx.project, key=key, title=f"Production regressed: {what}", brief=brief,
        inputs={"production_config_id": current.id},
    )  # fmt: skip
    return "escalated"


def _is_better_now(
    ctx: Context, session: Session, current: ProductionConfig, before: ProductionConfig | None,
    regression: dict[str, Any],
) -> tuple[bool, str]:  # fmt: skip
    """Whether the configuration before production is better today by more than noise, and that in words."""
    if before is None:
        return False, "there is no earlier configuration to go back to"
    metric = regression["metric"]
    values, present = (
        [r.metrics[metric] for r in confirming(readings(ctx, session, each))[-FRESH:] if metric in r.metrics]
        for each in (before, current)
    )
    if not values or not present:
        return False, "the configuration before it gave no score today"
    then = fmean(values)
    higher = regression["loss"] > 0 and regression["baseline"] > regression["fresh"]
    better = repairs(values, present, tolerated=regression["tolerated"], higher_is_better=higher)
    return better, f"the configuration before it has {then:.4g} today, {'better' if better else 'no better'}"
