"""One hypothesis from the queue to the gate's verdict: claim, fast validation, rounds of seeds, decision."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.boards.standing import back_to_attack
from auto_benchmark.contract.record import Experiment, TrialPlan
from auto_benchmark.contract.trial import Stage, TrialState
from auto_benchmark.db.repositories import decisions, experiments, hypotheses, records, trials
from auto_benchmark.experiments.allowance import why_not
from auto_benchmark.experiments.gate import effect, evidence
from auto_benchmark.experiments.gate.control import broken_control, control_plans, first_control
from auto_benchmark.experiments.gate.opening import experiment_plan
from auto_benchmark.experiments.gate.planning import SEEDS_PER_EXPERIMENT, trial_plan
from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus, Urgency
from auto_benchmark.hypotheses.queue import why_there
from auto_benchmark.kinds import Lane, LogKind, Outcome, Purpose
from auto_benchmark.project import tracking
from auto_benchmark.project.context import Context
from auto_benchmark.project.gate_items import carry_over, renew
from auto_benchmark.promotion.schema import Verdict
from auto_benchmark.registry.schedule import Mode
from auto_benchmark.stats.looks import LOOKS

VALIDATION_SUBSET = 0.2
LEAST_CONTROL = 5
"""Control seeds before the first decision; production's defense trials add to them."""
CLAIM_LEASE_S = 6 * 3600.0
ANEW = 100
"""A decision that is made again has the next multiple of this as its look; later looks count from there."""


def claim(ctx: Context, owner: str, *, hypothesis_id: str | None = None) -> str | None:
    """Take the best hypothesis of the queue and open its experiment; None when there is none or nothing may run."""
    with ctx.sessions.begin() as session:
        claimed = claim_in(ctx, session, owner, hypothesis_id=hypothesis_id)
    if claimed is None:
        tracking.flush(ctx)  # the sweep ends here: its search trials would wait for the end of a later one
    return claimed


def claim_in(ctx: Context, session: Session, owner: str, *, hypothesis_id: str | None = None) -> str | None:
    """:func:`claim` inside the caller's transaction."""
    if reason := why_not(ctx, session):
        ctx.say(f"no experiment: {reason}")
        return None
    back_to_attack(ctx, session)
    for moved in hypotheses.rank(session=session, project=ctx.project):
        ctx.say(f"{moved.id}: {why_there(moved)}")
    low = why_not(ctx, session, urgency=Urgency.LOW)
    code = ctx.config.schedule.automation.code is not Mode.OFF
    claimed = None
    for urgency in (Urgency.URGENT, Urgency.NORMAL) if low else (None,):
        claimed = claimed or hypotheses.claim(
            session=session, project=ctx.project, owner=owner, lease_s=CLAIM_LEASE_S, hypothesis_id=hypothesis_id,
            urgency=urgency, with_code=code,
        )  # fmt: skip
    if claimed is None:
        if low:
            ctx.say(f"no hypothesis of low urgency is started: {low}")
        return None
    carry_over(ctx, session)
    renew(ctx, session)
    experiments.start(session=session, project=ctx.project, plan=experiment_plan(ctx, session, claimed))
    ctx.say(f"{claimed.id} {claimed.title} (priority {claimed.priority_score:.1f})")
    return claimed.id


def plan_validation(ctx: Context, hypothesis_id: str) -> list[int]:
    """Fast validation: one seed on a part of the search split, to catch what is broken before compute is spent.

    The base runs once with the same seed and inputs, so that a change without effect is seen. Where production has not
    run on the present code yet, its first control trial runs along: no candidate spends seeds on code that breaks it.
    """
    with ctx.sessions.begin() as session:
        experiment = experiment_of(ctx, session, hypothesis_id)
        checks = _validation_plans(ctx, experiment)
        bases = [base for plan in checks if (base := effect.base_plan(ctx, experiment, plan))]
        plans = [*first_control(ctx, session), *checks, *bases]
        planned = trials.plan(session=session, project=ctx.project, plans=plans)
    return [trial.id for trial in planned if not trial.state.is_finished]


def _validation_plans(ctx: Context, experiment: Experiment) -> list[TrialPlan]:
    """One seed on a part of the split; where code changes, each of two seeds on all of it."""
    seeds, subset = (effect.CODE_SEEDS, 1.0) if effect.changes_code(experiment) else ((1,), VALIDATION_SUBSET)
    return [
        trial_plan(
            ctx, ctx.bench.ref, experiment.plan.params, seed, Purpose.VALIDATION, experiment=experiment,
            stage=Stage.FAST, subset=subset, tree=experiment.plan.tree,
        )
        for seed in seeds
    ]  # fmt: skip


def validate(ctx: Context, hypothesis_id: str) -> bool:
    """Whether fast validation passed: a broken configuration, or one that changes nothing, is archived.

    A hypothesis is not to blame where production itself fails on the present code; it goes back into the queue.
    """
    with ctx.sessions.begin() as session:
        if broken := broken_control(ctx, session):
            ctx.say(f"{hypothesis_id} not tried: {broken}")
            return False
        experiment = experiment_of(ctx, session, hypothesis_id)
        if experiment.outcome is Outcome.FAILED_VALIDATION:
            return False
        found = trials.of_experiment(session=session, experiment_id=experiment.id)
        checks = [t for t in found if t.plan.purpose == Purpose.VALIDATION]
        failed = [t for t in checks if t.state is TrialState.FAILED]
        fault = f"{failed[0].failure_class}: {failed[0].message}" if failed else None
        fault = fault or effect.without_effect(ctx, session, experiment, checks)
        if fault is None:
            return True
        reason = f"fast validation failed: {fault}"
        archive(ctx, session, experiment, Outcome.FAILED_VALIDATION, reason)
    ctx.say(f"{hypothesis_id} archived: {reason}")
    return False


def plan_round(ctx: Context, hypothesis_id: str, look: int) -> list[int]:
    """Plan the candidate's and the control's seeds of one look; none once the experiment is decided.

    The control is production's own trials, reused over experiments; a winner's selected trials never become one.
    """
    with ctx.sessions.begin() as session:
        experiment = experiment_of(ctx, session, hypothesis_id)
        if experiment.outcome is not None or _is_decided(session, experiment):
            return []
        plans = candidate_plans(ctx, session, experiment, seeds=LOOKS[look])
        plans += control_plans(ctx, session, at_least=max(LEAST_CONTROL, LOOKS[look]), data=experiment.plan.benchmark)
        planned = trials.plan(session=session, project=ctx.project, plans=plans)
    return [trial.id for trial in planned if not trial.state.is_finished]


def candidate_plans(
    ctx: Context, session: Session, experiment: Experiment, *, seeds: int, queue: Lane = Lane.NORMAL
) -> list[TrialPlan]:
    """The candidate's trials up to ``seeds`` seeds, which are the experiment's own."""
    wanted = own_seeds(session, experiment, Purpose.CANDIDATE, first=0, count=seeds)
    params = experiment.plan.params
    data = experiment.plan.benchmark
    return [
        trial_plan(
            ctx, data, params, seed, Purpose.CANDIDATE, experiment=experiment, queue=queue, tree=experiment.plan.tree
        )
        for seed in wanted
    ]


def own_seeds(session: Session, experiment: Experiment, purpose: Purpose, *, first: int, count: int) -> list[int]:
    """``count`` seeds for trials of an experiment: those that it has, then new ones.

    New ones count from ``first`` within the thousand that the experiment's id gives. An imported experiment has a new
    id and trials with seeds of its old one; without them it would run more seeds than a look asks for.
    """
    has = [t.plan.seed for t in trials.of_experiment(session=session, experiment_id=experiment.id)
           if t.plan.purpose == purpose]  # fmt: skip
    start = experiment.id * SEEDS_PER_EXPERIMENT + first
    return (has + [seed for seed in range(start, start + count) if seed not in has])[:count]


def decide(ctx: Context, hypothesis_id: str, look: int) -> dict[str, Any]:
    """Ask the gate, record what it said and why.

    Returns:
        ``{"hypothesis_id", "look", "verdict", "decision_id", "final"}``.
    """
    with ctx.sessions.begin() as session:
        experiment = experiment_of(ctx, session, hypothesis_id)
        made = decisions.of_experiment(session=session, experiment_id=experiment.id)
        if made and (made[-1].verdict.is_final or experiment.outcome is not None):
            return _told(hypothesis_id, made[-1].look % ANEW - 1, made[-1].verdict, made[-1].id)
        if is_paused(ctx, session, experiment):
            paused = {"hypothesis_id": hypothesis_id, "look": look, "verdict": Outcome.PAUSED, "decision_id": None}
            return {**paused, "final": True}
        hypothesis = _hypothesis(ctx, session, hypothesis_id)
        gathered = evidence.gather(ctx, session, experiment, hypothesis.target_leaderboards[0])
        decision = gathered.case.decide()
        recorded, new = decisions.record(
            session=session,
            project=ctx.project,
            experiment_id=experiment.id,
            look=look + 1 + (made[-1].look // ANEW * ANEW if made else 0),
            case=gathered.case,
            decision=decision,
            trial_ids=gathered.trial_ids,
            alpha_spent=gathered.case.alpha,
            alpha_wealth=gathered.remaining,
        )
        records.log(
            session=session,
            project=ctx.project,
            key=f"decision/{recorded.id}",
            kind=LogKind.DECISION,
            subject=hypothesis_id,
            reason=f"{recorded.verdict}: {recorded.reason}",
            inputs={
                "decision_id": recorded.id,
                "trial_ids": list(gathered.trial_ids),
                "hypothesis_source": hypothesis.source,
            },
        )
    if new:
        ctx.say(f"{hypothesis_id} look {look + 1}: {recorded.verdict} — {recorded.reason}")
    return _told(hypothesis_id, look, recorded.verdict, recorded.id)


def is_paused(ctx: Context, session: Session, experiment: Experiment) -> bool:
    """Whether trials that the experiment waits for were kept from running, or production fails on the present code."""
    own = trials.waiting(
        session=session, project=ctx.project, purposes=(Purpose.VALIDATION, Purpose.CANDIDATE, Purpose.ESTIMATE),
        experiment_id=experiment.id,
    )  # fmt: skip
    control = trials.waiting(session=session, project=ctx.project, purposes=(Purpose.CONTROL,), experiment_id=None)
    return bool(own or control) or broken_control(ctx, session) is not None


def pause(ctx: Context, session: Session, experiment: Experiment) -> Outcome:
    """Put the hypothesis back into the queue; its trials and looks stay, and the next claim goes on from there."""
    reason = why_not(ctx, session) or broken_control(ctx, session) or "its trials were stopped"
    hypotheses.set_status(
        session=session,
        project=ctx.project,
        hypothesis_id=experiment.plan.key,
        status=HypothesisStatus.QUEUED,
        reason=f"paused: {reason}",
        only_from=[HypothesisStatus.ACTIVE],
    )
    ctx.say(f"{experiment.plan.key} paused: {reason}")
    return Outcome.PAUSED


def archive(ctx: Context, session: Session, experiment: Experiment, outcome: Outcome, reason: str) -> None:
    """Close an experiment without a promotion; the reason stays with the hypothesis."""
    experiments.finish(session=session, experiment_id=experiment.id, outcome=outcome, reason=reason)
    hypotheses.set_status(
        session=session,
        project=ctx.project,
        hypothesis_id=experiment.plan.key,
        status=HypothesisStatus.ARCHIVED,
        reason=reason,
    )
    records.log(
        session=session,
        project=ctx.project,
        key=f"archived/{experiment.plan.key}",
        kind=LogKind.REJECTION,
        subject=experiment.plan.key,
        reason=reason,
        inputs={"experiment_id": experiment.id, "outcome": outcome},
    )


def _told(hypothesis_id: str, look: int, verdict: Verdict, decision_id: int) -> dict[str, Any]:
    return {
        "hypothesis_id": hypothesis_id,
        "look": look,
        "verdict": str(verdict),
        "decision_id": decision_id,
        "final": verdict.is_final,
    }


def _is_decided(session: Session, experiment: Experiment) -> bool:
    made = decisions.of_experiment(session=session, experiment_id=experiment.id)
    return bool(made) and made[-1].verdict.is_final


def experiment_of(ctx: Context, session: Session, hypothesis_id: str) -> Experiment:
    """The experiment of a claimed hypothesis. Raises LookupError."""
    found = hypotheses.experiment_of(session=session, project=ctx.project, hypothesis_id=hypothesis_id)
    experiment = None if found is None else experiments.get(session=session, project=ctx.project, experiment_id=found)
    if experiment is None:
        raise LookupError(f"{hypothesis_id} has no experiment; claim it first")
    return experiment


def _hypothesis(ctx: Context, session: Session, hypothesis_id: str) -> Hypothesis:
    found = hypotheses.get(session=session, project=ctx.project, hypothesis_id=hypothesis_id)
    if found is None:
        raise LookupError(f"no hypothesis {hypothesis_id}")
    return found
