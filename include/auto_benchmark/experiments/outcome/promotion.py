"""What follows the gate's verdict: confirmation on fresh seeds, promotion, challenger, archive."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.contract.record import Experiment
from auto_benchmark.contract.trial import Stage
from auto_benchmark.db.repositories import (
    decisions,
    experiments,
    hypotheses,
    observations,
    production,
    records,
    submissions,
    trials,
)
from auto_benchmark.errors import InputError
from auto_benchmark.experiments.gate.effect import changes_code
from auto_benchmark.experiments.gate.evidence import failures_of
from auto_benchmark.experiments.gate.planning import trial_plan
from auto_benchmark.experiments.gate.rounds import archive, experiment_of, is_paused, own_seeds, pause
from auto_benchmark.experiments.gate.unlikely import expected
from auto_benchmark.experiments.hand_in import ask_to_hand_in
from auto_benchmark.experiments.outcome.gap_notes import write_gap_analysis
from auto_benchmark.experiments.outcome.rebase import rebase_code
from auto_benchmark.experiments.outcome.result_files import write_summary
from auto_benchmark.experiments.search.conclusion import conclude
from auto_benchmark.experiments.submission import may_submit
from auto_benchmark.hypotheses import queue as queue_rules
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus
from auto_benchmark.kinds import LogKind, Outcome, Purpose
from auto_benchmark.project import tracking
from auto_benchmark.project.board_units import as_boards_write
from auto_benchmark.project.context import Context
from auto_benchmark.project.promoted_code import diff_of, remarks_on
from auto_benchmark.project.reconcile import render_views
from auto_benchmark.project.solution_code import environment_key
from auto_benchmark.promotion.confirmation import FRESH_SEEDS, LEAST_FRESH_SEEDS, confirm, refuted
from auto_benchmark.promotion.gate import Case, thaw
from auto_benchmark.promotion.production import ProductionCandidate, ProductionConfig, RecordedDecision, Role
from auto_benchmark.promotion.schema import Decision, Observation, Verdict
from auto_benchmark.registry.schedule import Mode
from auto_benchmark.reporting.approval_brief import approval_brief

APPROVE_PROMOTION = "approve-promotion/"
"""Before the id of the decision, in the key of the question whether it may be carried out."""
FRESH_FROM = 500
"""Fresh seeds are counted from here within an experiment's thousand; the test never uses them."""


def plan_confirmation(ctx: Context, hypothesis_id: str) -> list[int]:
    """Seeds that the test has not seen, for a winner only: a selected maximum is too high by construction."""
    with ctx.sessions.begin() as session:
        experiment = experiment_of(ctx, session, hypothesis_id)
        verdict = _last(session, experiment)
        if experiment.outcome is not None or verdict is None or not _may_take_a_role(verdict):
            return []
        seeds = own_seeds(session, experiment, Purpose.ESTIMATE, first=FRESH_FROM, count=FRESH_SEEDS)
        data, params = experiment.plan.benchmark, experiment.plan.params
        plans = [
            trial_plan(ctx, data, params, seed, Purpose.ESTIMATE, experiment=experiment, tree=experiment.plan.tree)
            for seed in seeds
        ]
        planned = trials.plan(session=session, project=ctx.project, plans=plans)
    return [trial.id for trial in planned if not trial.state.is_finished]


def finish(ctx: Context, hypothesis_id: str) -> dict[str, Any]:
    """Act on the last verdict: promote, make it the challenger, or archive it with the failed criteria.

    Returns:
        ``{"hypothesis_id", "outcome", "decision_id"}``.
    """
    with ctx.sessions.begin() as session:
        experiment = experiment_of(ctx, session, hypothesis_id)
        decision = _last(session, experiment)
        if experiment.outcome is None and is_paused(ctx, session, experiment):
            outcome = pause(ctx, session, experiment)
        else:
            outcome = experiment.outcome or _close(ctx, session, experiment, decision)
        if outcome.is_archived:
            conclude(ctx, session)
    write_summary(ctx, hypothesis_id)
    render_views(ctx)
    if outcome.is_archived:
        write_gap_analysis(ctx, hypothesis_id)
    tracking.flush(ctx)
    return {"hypothesis_id": hypothesis_id, "outcome": outcome, "decision_id": decision.id if decision else None}


def _close(ctx: Context, session: Session, experiment: Experiment, decision: RecordedDecision | None) -> Outcome:
    if decision is None:
        archive(ctx, session, experiment, Outcome.UNDECIDED, "the experiment ended without a decision")
        return Outcome.UNDECIDED
    if not _may_take_a_role(decision):
        outcome = Outcome.REJECT if decision.verdict is Verdict.INCONCLUSIVE else Outcome(decision.verdict)
        archive(ctx, session, experiment, outcome, f"{decision.verdict}: {decision.reason}")
        return outcome
    if why := _refuted(ctx, session, experiment, decision):
        ctx.say(f"{experiment.plan.key} passed the gate and is not promoted: not confirmed: {why}")
        archive(ctx, session, experiment, Outcome.REJECT, f"not confirmed: {why}; before, {decision.reason}")
        return Outcome.REJECT
    if (why := _why_ask(ctx, session, experiment, decision)) is not None:
        return ask_a_person(ctx, session, experiment, decision, why)
    role = Role.PRODUCTION if decision.verdict is Verdict.PROMOTE else Role.CHALLENGER
    take_role(ctx, session, experiment, decision, role)
    return Outcome(decision.verdict)


def take_role(ctx: Context, session: Session, experiment: Experiment, decision: RecordedDecision, role: Role) -> None:
    """One transaction: the new configuration, the end of the experiment, the queue, the submissions, the log."""
    fresh = _fresh(ctx, session, experiment)
    confirmed = _confirmed_scores(ctx, fresh)
    claim = _confirmation(decision, fresh)
    candidate = ProductionCandidate(
        solution=experiment.plan.solution,
        benchmark=experiment.plan.benchmark,
        params=experiment.plan.params,
        scores=confirmed,
        reason=f"{decision.reason}; {claim}",
        hypothesis_id=experiment.plan.hypothesis_id,
        decision_id=decision.id,
        tree=experiment.plan.tree,
    )
    holder, new = production.promote(session=session, project=ctx.project, candidate=candidate, role=role)
    status = HypothesisStatus.PROMOTED if role is Role.PRODUCTION else HypothesisStatus.CHALLENGER
    experiments.finish(session=session, experiment_id=experiment.id, outcome=outcome_of(role), reason=decision.reason)
    hypotheses.set_status(
        session=session,
        project=ctx.project,
        hypothesis_id=experiment.plan.key,
        status=status,
        reason=decision.reason,
    )
    _supersede(ctx, session, holder)
    if role is Role.PRODUCTION:
        _enqueue_submissions(ctx, session, holder)
        ask_to_hand_in(ctx, session, holder)
    shown = as_boards_write(ctx, session, confirmed)
    records.log(
        session=session,
        project=ctx.project,
        key=f"{role}/{decision.id}",
        kind=LogKind.PROMOTION if role is Role.PRODUCTION else LogKind.CHALLENGER,
        subject=experiment.plan.key,
        reason=f"{decision.reason}; {claim}" + (f"; our measurement: {shown}" if shown else ""),
        inputs={"decision_id": decision.id, "production_config_id": holder.id, "scores": confirmed},
    )
    if new:
        ctx.say(f"{experiment.plan.key} is the new {role}: {claim}; {shown}")


def _fresh(ctx: Context, session: Session, experiment: Experiment) -> list[Observation]:
    """The winner's trials on seeds that the test has not seen."""
    case = _case(session, experiment)
    found = observations.of_config(
        session=session,
        project=ctx.project,
        config_hash=experiment.plan.config_hash,
        stage=Stage.FULL,
        items_of=case.evidence.metric if case else None,
        purposes=[Purpose.ESTIMATE],
        fingerprint_hash=environment_key(ctx, experiment.plan.tree),
    )
    return [f.observation for f in found]


def _refuted(ctx: Context, session: Session, experiment: Experiment, decision: RecordedDecision) -> str | None:
    """Why fresh seeds take the verdict back; None where they bear it out, or are too few to tell."""
    plan = experiment.plan
    failures = failures_of(ctx, session, (plan.config_hash, plan.tree), [Purpose.ESTIMATE])
    try:
        return refuted(thaw(decision.evidence_json).evidence, _fresh(ctx, session, experiment), failures)
    except InputError:
        return None


def _confirmed_scores(ctx: Context, fresh: Sequence[Observation]) -> dict[str, float]:
    """Board -> mean over the fresh seeds."""
    scores = {}
    for board in ctx.boards:
        measured = ctx.metric_of(board.name)
        values = [o.metrics[measured[0]] for o in fresh if measured and measured[0] in o.metrics]
        if values:
            scores[board.name] = round(fmean(values), 6)
    return scores


def _confirmation(decision: RecordedDecision, fresh: Sequence[Observation]) -> str:
    """Claimed against confirmed, in a sentence."""
    case = thaw(decision.evidence_json)
    try:
        return confirm(case.evidence, Decision.model_validate_json(decision.decision_json), fresh).sentence
    except InputError as error:
        return f"not confirmed: {error}"


def _case(session: Session, experiment: Experiment) -> Case | None:
    last = _last(session, experiment)
    return thaw(last.evidence_json) if last else None


def _supersede(ctx: Context, session: Session, holder: ProductionConfig) -> None:
    rebase_code(ctx, session, holder.candidate)
    queued = hypotheses.listed(session=session, project=ctx.project, statuses=[HypothesisStatus.QUEUED])
    for hypothesis, reason in queue_rules.superseded_by(holder.candidate.params, holder.candidate.tree, queued):
        hypotheses.set_status(
            session=session,
            project=ctx.project,
            hypothesis_id=hypothesis.id,
            status=HypothesisStatus.SUPERSEDED,
            reason=reason,
            only_from=[HypothesisStatus.QUEUED],
        )


def _enqueue_submissions(ctx: Context, session: Session, holder: ProductionConfig) -> None:
    for board in ctx.boards:
        if may_submit(ctx, board) is None:
            submissions.enqueue(
                session=session, project=ctx.project, board=board.name, production_config_id=holder.id, payload={}
            )


def promotion_keys(session: Session, experiment: Experiment) -> list[str]:
    """Keys of the questions whether a promotion may be carried out, one for each decision that could have asked it."""
    made = decisions.of_experiment(session=session, experiment_id=experiment.id)
    return [f"{APPROVE_PROMOTION}{decision.id}" for decision in made]


def ask_a_person(
    ctx: Context, session: Session, experiment: Experiment, decision: RecordedDecision, why: str | None = None
) -> Outcome:
    """Let an experiment wait until a person approves what its last decision would promote; returns its outcome.

    ``why`` is what the person is told; where it is not given, it is found out.
    """
    why = why or _why_ask(ctx, session, experiment, decision) or "it was asked before"
    reason = f"{why}: {decision.reason}"
    records.escalate(
        session=session,
        project=ctx.project,
        key=f"{APPROVE_PROMOTION}{decision.id}",
        title=f"{experiment.plan.key} waits for approval",
        brief=f"A person is asked because {why}.\n\n{_brief(ctx, session, experiment, decision)}",
        inputs={"decision_id": decision.id},
    )
    experiments.finish(
        session=session, experiment_id=experiment.id, outcome=Outcome.WAITS_FOR_APPROVAL, reason=reason
    )
    hypotheses.set_status(
        session=session,
        project=ctx.project,
        hypothesis_id=experiment.plan.key,
        status=HypothesisStatus.ESCALATED,
        reason=reason,
    )
    return Outcome.WAITS_FOR_APPROVAL


def _why_ask(ctx: Context, session: Session, experiment: Experiment, decision: RecordedDecision) -> str | None:
    """Why a person has to approve what a decision would do; None where it may simply be done."""
    if _is_for_a_person(decision):
        return "its cost could not be measured"
    automation = ctx.config.schedule.automation
    fresh = len(_fresh(ctx, session, experiment))
    if fresh < LEAST_FRESH_SEEDS:
        return f"{fresh} of {FRESH_SEEDS} fresh seeds have a score, too few to confirm anything"
    compared = expected(ctx, session, experiment, thaw(decision.evidence_json).evidence.metric)
    if compared.is_unlikely:
        return compared.sentence
    if compared.interval is None:
        ctx.say(f"{experiment.plan.key}: {compared.sentence}")
    if decision.verdict is not Verdict.PROMOTE:
        return None
    if automation.promotion is not Mode.ON:
        return f"automation.promotion is {automation.promotion}"
    if changes_code(experiment) and automation.code is not Mode.ON:
        return f"it changes code, and automation.code is {automation.code}"
    return None


def _brief(ctx: Context, session: Session, experiment: Experiment, decision: RecordedDecision) -> str:
    hypothesis = hypotheses.get(session=session, project=ctx.project, hypothesis_id=experiment.plan.key)
    confirmed = _confirmed_scores(ctx, _fresh(ctx, session, experiment))
    trees = (experiment.plan.control_tree, experiment.plan.tree)
    return approval_brief(
        experiment.plan.key,
        change=hypothesis.implementation.change if hypothesis else decision.reason,
        decision=Decision.model_validate_json(decision.decision_json),
        params=experiment.plan.params,
        base=experiment.plan.control_params or {},
        scores=as_boards_write(ctx, session, confirmed),
        diff=diff_of(ctx, *trees) if changes_code(experiment) else "",
        remarks=remarks_on(ctx, *trees) if changes_code(experiment) else (),
    )


def _last(session: Session, experiment: Experiment) -> RecordedDecision | None:
    made = decisions.of_experiment(session=session, experiment_id=experiment.id)
    return made[-1] if made else None


def outcome_of(role: Role) -> Outcome:
    """Of the experiment whose configuration has taken it."""
    return Outcome.PROMOTE if role is Role.PRODUCTION else Outcome.CHALLENGER


def _may_take_a_role(decision: RecordedDecision) -> bool:
    return decision.verdict in {Verdict.PROMOTE, Verdict.CHALLENGER} or _is_for_a_person(decision)


def _is_for_a_person(decision: RecordedDecision) -> bool:
    return Decision.model_validate_json(decision.decision_json).is_for_a_person
