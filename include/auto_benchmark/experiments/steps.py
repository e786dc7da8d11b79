"""Steps from the search to the submission. A step imports its implementation when it is called, so flows are light."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auto_benchmark.contract.record import Trial
    from auto_benchmark.project.context import Context


def check_freshness(ctx: Context, owner: str, woken: bool) -> dict[str, list[str]] | None:
    """Boards that are too old to act on; the run goes on and says so. It answers the close entrants that wait.

    Args:
        ctx: the project.
        owner: name of the run.
        woken: an event started it; if another run has answered that, there is nothing to do.

    Returns:
        ``{"stale"}``; None when there is nothing to do, or no board has been read that a candidate could lead.
    """
    from auto_benchmark.boards.landscape import answers
    from auto_benchmark.experiments.sweep import check_freshness as implementation
    from auto_benchmark.experiments.sweep import nothing_to_aim_at
    from auto_benchmark.leaderboards.triggers import Action

    if not answers(ctx, Action.PREEMPTIVE_HYPOTHESES, owner=owner, woken=woken):
        return None
    if (why := nothing_to_aim_at(ctx)) is not None:
        ctx.say(why)
        return None
    return {"stale": implementation(ctx)}


def claim_and_plan(ctx: Context, owner: str, asked_by: str = "") -> dict[str, Any] | None:
    """Answer every unclaimed rank drop with one seed of the best hypothesis.

    Returns:
        ``{"events", "hypothesis_id", "trial_ids"}``; None when no rank drop waits.
    """
    from auto_benchmark.experiments.sweep import claim_and_plan as implementation

    return implementation(ctx, owner, asked_by)


def promote_within_reach(ctx: Context) -> dict[str, Any] | None:
    """Promote the challenger where the board has come within its reach: what ``finish`` returns, else None."""
    from auto_benchmark.experiments.outcome.reach import promote_within_reach as implementation

    return implementation(ctx)


def needs_search(ctx: Context) -> bool:
    """Whether nothing that is queued starts from the present base."""
    from auto_benchmark.experiments.sweep import needs_search as implementation

    return implementation(ctx)


def plan_search(ctx: Context, look: int, queue: str) -> list[int]:
    """Plan one round of search trials; returns the ids of those that are not finished."""
    from auto_benchmark.experiments.search.rounds import plan_search as implementation
    from auto_benchmark.kinds import Lane

    return implementation(ctx, look, queue=Lane(queue))


def propose_hypotheses(ctx: Context, urgency: str) -> list[str]:
    """Queue what the search results support; returns ids of new hypotheses."""
    from auto_benchmark.experiments.search.rounds import propose_hypotheses as implementation

    return implementation(ctx, urgency=urgency)


def run_trial(ctx: Context, trial_id: int) -> dict[str, Any]:
    """One trial to its end: ``{"trial_id", "state", "failure"}``. A trial that failed is a result."""
    from auto_benchmark.experiments.trials.planned import run_trial as implementation

    return implementation(ctx, trial_id)


def run_trials(ctx: Context, trial_ids: Sequence[int]) -> list[Trial]:
    """All trials of one plan side by side, seeds that can share a process together."""
    from auto_benchmark.experiments.trials.planned import run_trials as implementation

    return implementation(ctx, trial_ids)


def claim(ctx: Context, owner: str) -> str | None:
    """Take the best hypothesis of the queue; None when there is none or nothing may run."""
    from auto_benchmark.experiments.gate.rounds import claim as implementation

    return implementation(ctx, owner)


def plan_validation(ctx: Context, hypothesis_id: str) -> list[int]:
    """Have the doctor look at changed code, and plan fast validation; returns the ids of trials that are not finished."""
    from auto_benchmark.experiments.gate.examined import examine_and_plan as implementation

    return implementation(ctx, hypothesis_id)


def validate(ctx: Context, hypothesis_id: str) -> bool:
    """Whether fast validation passed; what is broken or changes nothing is archived."""
    from auto_benchmark.experiments.gate.rounds import validate as implementation

    return implementation(ctx, hypothesis_id)


def plan_round(ctx: Context, hypothesis_id: str, look: int) -> list[int]:
    """Plan the seeds of one look; none once the experiment is decided."""
    from auto_benchmark.experiments.gate.rounds import plan_round as implementation

    return implementation(ctx, hypothesis_id, look)


def decide(ctx: Context, hypothesis_id: str, look: int) -> dict[str, Any]:
    """Ask the gate: ``{"hypothesis_id", "look", "verdict", "decision_id", "final"}``."""
    from auto_benchmark.experiments.gate.rounds import decide as implementation

    return implementation(ctx, hypothesis_id, look)


def plan_confirmation(ctx: Context, hypothesis_id: str) -> list[int]:
    """Plan fresh seeds for a winner, and none for any other."""
    from auto_benchmark.experiments.outcome.promotion import plan_confirmation as implementation

    return implementation(ctx, hypothesis_id)


def finish(ctx: Context, hypothesis_id: str) -> dict[str, Any]:
    """Act on the last verdict: ``{"hypothesis_id", "outcome", "decision_id"}``."""
    from auto_benchmark.experiments.outcome.promotion import finish as implementation

    return implementation(ctx, hypothesis_id)


def submit(ctx: Context) -> list[dict[str, Any]]:
    """Hand production in and deliver what is due: one ``{"board", "state", "score", "reason"}`` per message."""
    from auto_benchmark.experiments.submission import submit as implementation

    return implementation(ctx)


def handed_in(ctx: Context, submitted: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The accepted ones of what :func:`submit` returned: a board will show them."""
    return [one for one in submitted if one["state"] == "accepted"]


def next_experiment(ctx: Context, outcome: str, ends: Sequence[str], number: int, limit: int) -> bool:
    """Whether another experiment follows; see :func:`auto_benchmark.experiments.sweep.next_experiment`."""
    from auto_benchmark.experiments.sweep import next_experiment as implementation

    return implementation(ctx, outcome=outcome, ends=ends, number=number, limit=limit)


def start_next(ctx: Context, owner: str, experiment: int) -> None:
    """Names what the sweep's next run is started with; the executor starts it."""
