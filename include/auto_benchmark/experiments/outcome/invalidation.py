"""A person withdraws a trial or a data set: nothing counts it any more, and what rested on it is decided again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.contract.record import Experiment
from auto_benchmark.contract.trial import BenchmarkRef
from auto_benchmark.db.repositories import decisions, experiments, hypotheses, production, records, trials
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.experiments.gate import evidence
from auto_benchmark.experiments.gate.rounds import ANEW
from auto_benchmark.experiments.outcome.promotion import ask_a_person, promotion_keys
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus
from auto_benchmark.kinds import LogKind, Outcome
from auto_benchmark.project.context import Context
from auto_benchmark.project.reconcile import render_views
from auto_benchmark.promotion.production import RecordedDecision, Role
from auto_benchmark.promotion.schema import Verdict


def invalidate_trial(ctx: Context, trial_id: int, *, by: str, reason: str) -> list[dict[str, Any]]:
    """Withdraw one trial and decide again what rested on it.

    Returns:
        One ``{"hypothesis_id", "before", "after", "action"}`` per decision that was made again.

    Raises:
        InputError: there is no such finished trial in the project.
    """
    with ctx.sessions.begin() as session:
        if not trials.invalidate(
            session=session, project=ctx.project, trial_ids=[trial_id], reason=f"{by}: {reason}"
        ):
            raise InputError(f"project {ctx.project!r} has no finished trial {trial_id}")
        told = _withdraw(
            ctx, session, [trial_id], f"trial/{trial_id}", f"trial {trial_id} withdrawn by {by}: {reason}"
        )
    render_views(ctx)
    return told


def invalidate_dataset(ctx: Context, benchmark: str, version: str, *, by: str, reason: str) -> list[dict[str, Any]]:
    """Withdraw every trial on one version of a benchmark; the version in use must be another one by then.

    Raises:
        RefusedError: the version is the one in use: its trials would only be planned again.
        InputError: no finished trial used it.
    """
    if ctx.bench.draw_of(BenchmarkRef(name=benchmark, version=version)) is not None:
        raise RefusedError(f"{benchmark} {version} is in use: give the corrected data a new version first")
    with ctx.sessions.begin() as session:
        ids = trials.on_dataset(session=session, project=ctx.project, benchmark=benchmark, version=version)
        if not ids:
            raise InputError(f"no finished trial used {benchmark} version {version}")
        trials.invalidate(session=session, project=ctx.project, trial_ids=ids, reason=f"{by}: {reason}")
        story = f"data set {benchmark} {version} withdrawn by {by}: {reason}"
        told = _withdraw(ctx, session, ids, f"dataset/{benchmark}/{version}", story)
    render_views(ctx)
    return told


def _withdraw(ctx: Context, session: Session, ids: Sequence[int], key: str, story: str) -> list[dict[str, Any]]:
    records.log(
        session=session, project=ctx.project, key=f"invalid/{key}", kind=LogKind.INVALIDATION, subject=key, reason=story,
        inputs={"trial_ids": list(ids)},
    )  # fmt: skip
    ctx.say(story)
    found = decisions.resting_on(session=session, project=ctx.project, trial_ids=ids)
    return [told for decision in found if (told := _decide_again(ctx, session, decision, key)) is not None]


def _decide_again(ctx: Context, session: Session, made: RecordedDecision, key: str) -> dict[str, Any] | None:
    """Decide an experiment anew from what is left; only its last decision counts."""
    experiment = experiments.get(session=session, project=ctx.project, experiment_id=made.experiment_id)
    if experiment is None or experiment.plan.hypothesis_id is None or experiment.outcome is None:
        return None  # a running experiment looks again by itself
    hypothesis = hypotheses.get(session=session, project=ctx.project, hypothesis_id=experiment.plan.key)
    if hypothesis is None:
        return None
    again = None
    if ctx.bench.draw_of(experiment.plan.benchmark) is None:
        after, reason = Verdict.INSUFFICIENT_DATA, "its data set was withdrawn"
    else:
        before_hash = experiment.plan.control_config_hash
        gathered = evidence.gather(
            ctx, session, experiment, hypothesis.target_leaderboards[0],
            control=None if before_hash is None else (before_hash, experiment.plan.control_tree),
        )  # fmt: skip
        decision = gathered.case.decide()
        before = decisions.of_experiment(session=session, experiment_id=experiment.id)
        again, _ = decisions.record(
            session=session, project=ctx.project, experiment_id=experiment.id,
            look=(before[-1].look // ANEW + 1) * ANEW, case=gathered.case, decision=decision,
            trial_ids=gathered.trial_ids, alpha_spent=gathered.case.alpha, alpha_wealth=gathered.remaining,
        )  # fmt: skip
        after, reason = decision.verdict, decision.reason
    action = "stands" if after is made.verdict else _undo(ctx, session, experiment, after, reason)
    if experiment.outcome is Outcome.WAITS_FOR_APPROVAL:
        _ask_again(ctx, session, experiment, again if action == "stands" else None)
    records.log(
        session=session, project=ctx.project, key=f"again/{key}/{experiment.id}", kind=LogKind.DECISION,
        subject=experiment.plan.key, reason=f"decided again: {made.verdict} -> {after} ({reason}); {action}",
        inputs={"experiment_id": experiment.id, "decision_id": made.id},
    )  # fmt: skip
    ctx.say(f"{experiment.plan.key} decided again: {made.verdict} -> {after}; {action}")
    return {"hypothesis_id": experiment.plan.key, "before": str(made.verdict), "after": str(after), "action": action}


def _ask_again(ctx: Context, session: Session, experiment: Experiment, again: RecordedDecision | None) -> None:
    """Withdraw the question that rests on an older decision, and ask it of the new one where that stands."""
    asked = promotion_keys(session, experiment)
    records.resolve_all(session=session, project=ctx.project, keys=asked, resolution="decided again")
    if again is not None:
        ask_a_person(ctx, session, experiment, again)


def _undo(ctx: Context, session: Session, experiment: Experiment, after: Verdict, reason: str) -> str:
    """A promotion or challenger that is no longer carried leaves its role; everything changed is tested again.

    The role names the decision that gave it; later ones may have confirmed that before this one does not.
    """
    done = []
    mine = {made.id for made in decisions.of_experiment(session=session, experiment_id=experiment.id)}
    for role in (Role.PRODUCTION, Role.CHALLENGER):
        holder = production.current(session=session, project=ctx.project, role=role)
        if holder is None or holder.candidate.decision_id not in mine:
            continue
        if role is Role.PRODUCTION:
            production.rollback(session=session, project=ctx.project, reason=f"decided again: {reason}")
            done.append("rolled back")
        else:
            production.dismiss_challenger(session=session, project=ctx.project, reason=f"decided again: {reason}")
            done.append("no longer challenger")
    if after.is_final and after not in {Verdict.PROMOTE, Verdict.CHALLENGER}:
        status, text = HypothesisStatus.ARCHIVED, "archived"
        experiments.settle(session=session, experiment_id=experiment.id, outcome=Outcome(after), reason=reason)
    else:
        status, text = HypothesisStatus.QUEUED, "tested again"
        experiments.reopen(session=session, experiment_id=experiment.id)
    hypotheses.set_status(
        session=session, project=ctx.project, hypothesis_id=experiment.plan.key, status=status,
        reason=f"decided again: {after}: {reason}",
    )  # fmt: skip
    return ", ".join([*done, text])
