"""``experiment_sweep``: search -> propose -> claim -> fast validation -> rounds of seeds -> decide -> submit.

The same functions serve the normal and the urgent sweep; ``run`` is the DAG in order, without Airflow.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.boards.focus import base_config
from auto_benchmark.boards.positions import stale_boards
from auto_benchmark.db.repositories import deltas, hypotheses, records, trials
from auto_benchmark.experiments.gate.rounds import (
    candidate_plans,
    claim,
    claim_in,
    decide,
    experiment_of,
    plan_round,
    plan_validation,
    validate,
)
from auto_benchmark.experiments.outcome.promotion import finish, plan_confirmation
from auto_benchmark.experiments.search.rounds import plan_search, plan_search_in, propose_hypotheses
from auto_benchmark.experiments.submission import submit
from auto_benchmark.experiments.trials.planned import run_trial, run_trials
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus, Urgency, priority_score
from auto_benchmark.hypotheses.search.rounds import LIMITS
from auto_benchmark.project.context import Context
from auto_benchmark.project.reconcile import reconcile
from auto_benchmark.stats.looks import LOOKS

__all__ = [
    "check_freshness",
    "claim",
    "claim_and_plan",
    "decide",
    "finish",
    "needs_search",
    "next_experiment",
    "plan_confirmation",
    "plan_round",
    "plan_search",
    "plan_validation",
    "propose_hypotheses",
    "reconcile",
    "run",
    "run_experiment",
    "run_trial",
    "submit",
    "validate",
]
EXPERIMENTS_PER_SWEEP = 2
ENDS = {"promote", "challenger", "waits_for_approval", "paused"}
"""After one of these the next hypothesis starts from another base, or has to wait."""
SEARCH_ROUNDS = len(LIMITS)


def run(ctx: Context, *, owner: str = "cli", urgent: bool = False) -> dict[str, Any]:
    """One sweep: answer rank drops if ``urgent``, fill the queue, run experiments until one wins, submit.

    Returns:
        ``{"experiments": [...], "submissions": [...]}``.
    """
    reconcile(ctx)
    check_freshness(ctx)
    if urgent and (answer := claim_and_plan(ctx, owner)):
        run_trials(ctx, answer["trial_ids"])
    if needs_search(ctx):
        for look in range(SEARCH_ROUNDS):
            run_trials(ctx, plan_search(ctx, look, queue="urgent" if urgent else "normal"))
        propose_hypotheses(ctx, urgency=Urgency.URGENT if urgent else None)
    results = []
    for _ in range(EXPERIMENTS_PER_SWEEP):
        hypothesis_id = claim(ctx, owner)
        if hypothesis_id is None:
            break
        results.append(run_experiment(ctx, hypothesis_id))
        if results[-1]["outcome"] in ENDS:
            break
    return {"experiments": results, "submissions": submit(ctx)}


def run_experiment(ctx: Context, hypothesis_id: str) -> dict[str, Any]:
    """One claimed hypothesis to its end: ``{"hypothesis_id", "outcome", "decision_id"}``."""
    run_trials(ctx, plan_validation(ctx, hypothesis_id))
    if validate(ctx, hypothesis_id):
        for look in range(len(LOOKS)):
            run_trials(ctx, plan_round(ctx, hypothesis_id, look))
            if decide(ctx, hypothesis_id, look)["final"]:
                break
        run_trials(ctx, plan_confirmation(ctx, hypothesis_id))
    return finish(ctx, hypothesis_id)


def check_freshness(ctx: Context) -> list[str]:
    """Boards that are too old to act on; the run goes on and says so."""
    with ctx.sessions() as session:
        stale = stale_boards(ctx, session)
    for board in stale:
        ctx.say(f"acting on stale data: {board} has no fresh snapshot")
    return stale


def needs_search(ctx: Context) -> bool:
    """Whether nothing that is queued starts from the present base."""
    with ctx.sessions() as session:
        base = base_config(ctx, session).candidate.params
        queue = hypotheses.queue(session=session, project=ctx.project)
    return not any(h.status is HypothesisStatus.ACTIVE or dict(h.implementation.base) == dict(base) for h in queue)


def next_experiment(ctx: Context, *, outcome: str, number: int | str, limit: int) -> bool:
    """Whether a sweep goes on with its next experiment: none has won, some are queued, ``limit`` is not reached."""
    if outcome in {"", "promote", "challenger"} or int(number) >= limit:
        return False
    with ctx.sessions() as session:
        queue = hypotheses.queue(session=session, project=ctx.project)
    return any(h.status is HypothesisStatus.QUEUED for h in queue)


def claim_and_plan(ctx: Context, owner: str, asked_by: str = "") -> dict[str, Any] | None:
    """Answer every unclaimed rank drop: raise the best hypothesis to urgent and plan one seed of it.

    ``asked_by`` names a person who wants an urgent sweep without a rank drop.

    Claims, answers and trials are one transaction: killed before it, the events are still there for the next;
    killed after it, the same owner gets the same plan again.

    Returns:
        ``{"events", "hypothesis_id", "trial_ids"}``; None when no rank drop waits.
    """
    with ctx.sessions.begin() as session:
        events = deltas.claim_rank_drops(session=session, project=ctx.project, owner=owner)
        answered = [event.key for event in events] or deltas.claimed_by(
            session=session, project=ctx.project, owner=owner
        )
        if not answered and not asked_by:
            return None
        for event in events:
            records.log(
                session=session,
                project=ctx.project,
                key=f"rank_drop/{event.key}",
                kind="rank_drop",
                subject=event.board,
                reason=f"{event.change.system} passed us on {event.board}; urgent sweep started",
                inputs={"snapshot_id": event.snapshot_id, "owner": owner},
            )
        hypothesis_id = _raise_best(ctx, session, owner)
        if hypothesis_id is None:
            ids = plan_search_in(ctx, session, 0, queue="urgent")
        else:
            plans = candidate_plans(ctx, experiment_of(ctx, session, hypothesis_id), seeds=1, queue="urgent")
            planned = trials.plan(session=session, project=ctx.project, plans=plans)
            ids = [trial.id for trial in planned if not trial.state.is_finished]
    return {"events": answered, "hypothesis_id": hypothesis_id, "trial_ids": ids}


def _raise_best(ctx: Context, session: Session, owner: str) -> str | None:
    """Make the best open hypothesis urgent and claim it; None when the queue is empty or nothing may run."""
    for best in hypotheses.queue(session=session, project=ctx.project, limit=1):
        gain = best.implementation.estimated_gain
        hypotheses.set_priority(
            session=session,
            project=ctx.project,
            hypothesis_id=best.id,
            priority_score=priority_score(gain, best.implementation.effort, Urgency.URGENT),
            urgency=Urgency.URGENT,
        )
        return claim_in(ctx, session, owner, hypothesis_id=best.id)
    return None
