"""Proof that a change took effect: with the same seed and inputs, the candidate must answer something differently.

A configuration that never reached the training code, or a knob that nothing reads, costs one short trial instead of
rounds of seeds, and is told apart from a change that was tried and did not help. Other code is asked more thoroughly,
since it may matter to few items or to cost alone: it changes nothing only where two seeds answer all of the search split
as the base does, at a cost that equal work may differ by.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from sqlalchemy.orm import Session

from auto_benchmark.artifacts.trial_output import OutputError, read_predictions
from auto_benchmark.contract.record import Experiment, Trial, TrialPlan
from auto_benchmark.contract.trial import Stage, TrialState
from auto_benchmark.db.repositories import observations, trials
from auto_benchmark.experiments.search.twins import same_cost
from auto_benchmark.experiments.trials.planned import folder_of
from auto_benchmark.experiments.trials.scoring import SELF_REPORTED, input_ids
from auto_benchmark.kinds import Purpose
from auto_benchmark.project.context import Context

CODE_SEEDS = (1, 2)
"""Seeds on which other code is validated, each on the whole search split."""


def base_plan(ctx: Context, experiment: Experiment, candidate: TrialPlan) -> TrialPlan | None:
    """The trial of the base that ``candidate`` is compared with, shared by all experiments on that base.

    None where there is nothing to compare: no base, or a benchmark without predictions.
    """
    base = experiment.plan.control_params
    if base is None or ctx.bench.benchmark.benchmark.scorer == SELF_REPORTED:
        return None
    return TrialPlan(
        solution=candidate.solution,
        params=base,
        benchmark=candidate.benchmark,
        stage=candidate.stage,
        seed=candidate.seed,
        purpose=Purpose.VALIDATION_BASE,
        subset=candidate.subset,
        budget_s=candidate.budget_s,
        queue=candidate.queue,
        tree=experiment.plan.control_tree,
    )


def without_effect(ctx: Context, session: Session, experiment: Experiment, checks: Sequence[Trial]) -> str | None:
    """Why none of the change's validation trials shows an effect; None when one does, or when that is unknown."""
    if not changes_code(experiment):
        return next((text for each in checks if (text := no_effect(ctx, session, experiment, each))), None)
    told = [no_effect(ctx, session, experiment, each) for each in checks]
    if len(told) < len(CODE_SEEDS) or None in told or not _costs_the_same(ctx, session, experiment, checks):
        return None
    return f"the code changes nothing, and costs the same: {'; '.join(text for text in told if text)}"


def changes_code(experiment: Experiment) -> bool:
    """Whether candidate and control run other code."""
    return experiment.plan.tree != experiment.plan.control_tree


def _costs_the_same(ctx: Context, session: Session, experiment: Experiment, checks: Sequence[Trial]) -> bool:
    plans = [plan for each in checks if (plan := base_plan(ctx, experiment, each.plan)) is not None]
    bases = trials.plan(session=session, project=ctx.project, plans=plans)
    sides = [_means(session, side) for side in (checks, bases)]
    return same_cost(ctx, sides[0], sides[1])


def _means(session: Session, side: Sequence[Trial]) -> dict[str, float]:
    found = observations.metrics_of(session=session, trial_ids=[trial.id for trial in side]).values()
    common = set.intersection(*(set(metrics) for metrics in found)) if found else set()
    return {name: fmean(metrics[name] for metrics in found) for name in common}


def no_effect(ctx: Context, session: Session, experiment: Experiment, candidate: Trial) -> str | None:
    """Why ``candidate`` shows no effect of the change; None when it shows one, or when that is unknown."""
    plan = base_plan(ctx, experiment, candidate.plan)
    if plan is None or candidate.plan.stage is not Stage.FAST or candidate.state is not TrialState.DONE:
        return None
    if dict(plan.params) == dict(candidate.plan.params) and plan.tree == candidate.plan.tree:
        return "the configuration is the base's own"
    base = trials.plan(session=session, project=ctx.project, plans=[plan])[0]
    if base.state is not TrialState.DONE:
        return None
    answered = [_predictions(ctx, trial) for trial in (candidate, base)]
    if answered[0] is None or answered[0] != answered[1]:
        return None
    changed = sorted(k for k in plan.params if plan.params[k] != candidate.plan.params.get(k))
    return (
        f"{', '.join(changed) or 'the change'} had no effect: all {len(answered[0])} answers equal the base's "
        f"(trials {candidate.id} and {base.id}, seed {candidate.plan.seed})"
    )


def _predictions(ctx: Context, trial: Trial) -> dict[str, object] | None:
    expected = input_ids(ctx.bench.view(ctx.bench.spec_of(trial, ctx.trial_name(trial.id))))
    folder = ctx.home / trial.artifact_uri if trial.artifact_uri else folder_of(ctx, trial)
    try:
        return read_predictions(folder, expected)
    except OutputError:  # retention has removed it
        return None
