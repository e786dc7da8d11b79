"""Says that nothing was found, whenever a search or an experiment has ended without a winner."""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark.boards.gap_questions import gap_key
from auto_benchmark.boards.standing import Focus, at_our_best, focus
from auto_benchmark.db.repositories import hypotheses, records, trials
from auto_benchmark.experiments.gate.purse import purse
from auto_benchmark.experiments.search.history import history, refused, strategy_of
from auto_benchmark.hypotheses.escalation import structural_gap_brief
from auto_benchmark.hypotheses.origin import Origin
from auto_benchmark.hypotheses.search.choose import has_plateaued
from auto_benchmark.hypotheses.search.fell_short import fell_short
from auto_benchmark.hypotheses.search.finding import Finding, nothing_better
from auto_benchmark.hypotheses.strategy import Strategy
from auto_benchmark.kinds import LogKind, Purpose
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import base_config
from auto_benchmark.promotion.production import Role

FOUND = (LogKind.PROMOTION, LogKind.CHALLENGER)


def conclude(ctx: Context, session: Session) -> Finding | None:
    """Log and say what is known about the present base, once per state of knowledge, and hand a wide gap to people.

    Returns:
        None while nothing has been compared with the base.
    """
    aim, held = focus(ctx, session), base_config(ctx, session)
    base = held.candidate.params
    tried, judged = history(ctx, session, aim), refused(ctx, session, aim, base)
    queue = hypotheses.queue(session=session, project=ctx.project)
    finding = nothing_better(
        base, tried, judged, waiting=sum(h.implementation.base == base for h in queue),
        of_challenger=held.role is Role.CHALLENGER,
    )  # fmt: skip
    if finding is None:
        return None
    flat = has_plateaued(base, tried, [each.params for each in judged])
    text = finding.sentence + ("; the search has plateaued" if flat else "")
    held_level = purse(session=session, project=ctx.project, shares=ctx.config.schedule.gate.shares).of(Origin.SEARCH)
    threshold = ctx.config.registry.promotion_threshold(ctx.board(aim.board))
    short = fell_short(judged, base, threshold=threshold, missing=aim.missing, level=held_level.next_level)
    text += f"; {short}" if flat and short else ""
    text += f"; {aim.unit_note}" if aim.unit_note else ""
    new = records.log(
        session=session,
        project=ctx.project,
        key=f"{LogKind.NOTHING_FOUND}/{aim.board}/{held.id}/{finding.trials}/{finding.refused}",
        kind=LogKind.NOTHING_FOUND,
        subject=aim.board,
        reason=text,
        inputs={
            "base": held.id, "trials": finding.trials, "gain": finding.gain, "interval": finding.interval,
            "within_noise": finding.within_noise, "plateau": flat,
        },
    )  # fmt: skip
    if new:
        ctx.say(f"{aim.board}: {text}")
    escalate_gap(ctx, session, aim, tried=len(tried), known=text)
    return finding


def escalate_gap(ctx: Context, session: Session, aim: Focus, *, tried: int, known: str) -> None:
    """The mission's first case: a gap above 5 % that nothing queued is projected to close, handed in or not.

    Args:
        ctx: the project.
        session: of the caller's transaction.
        aim: the board.
        tried: configurations on the search split.
        known: what the search has to say, for the brief.
    """
    aim = at_our_best(ctx, session, aim)
    unfinished = trials.waiting(session=session, project=ctx.project, purposes=[Purpose.SEARCH], experiment_id=None)
    queue = hypotheses.queue(session=session, project=ctx.project)
    best = max((h.implementation.estimated_gain for h in queue), default=0.0)
    if strategy_of(aim) is not Strategy.STRUCTURAL or unfinished or not tried or best >= aim.missing:
        return
    records.escalate(
        session=session,
        project=ctx.project,
        key=gap_key(aim.board, aim.rival_score),
        again=True,
        title=f"{aim.board}: gap of {aim.gap_fraction:.1%} that no queued hypothesis is projected to close",
        brief=structural_gap_brief(
            board=aim.board,
            metric=aim.metric,
            our_score=aim.our_score,
            leader_score=aim.rival_score,
            tried=tried,
            best_gain=best * aim.factor,
            known=known,
            architecture=ctx.bench.solution.solution.architecture,
        ),
        inputs={"gap": aim.gap, "best_projected_gain": best},
    )


def latest(ctx: Context, session: Session) -> str | None:
    """What was said last, while it still holds: None once something was found after it."""
    said = records.logged(session=session, project=ctx.project, kind=LogKind.NOTHING_FOUND, limit=1)
    newer = [e for kind in FOUND for e in records.logged(session=session, project=ctx.project, kind=kind, limit=1)]
    if not said or any(e.id > said[0].id for e in newer):
        return None
    return f"{said[0].subject}: {said[0].reason}"
