"""What a hypothesis brought on the search split: all that may steer what is tried next.

The gate's estimate is for people and for the decision alone. Fed back into the ranking it would let a search learn the
gate's items.
"""

from __future__ import annotations

from statistics import fmean

from sqlalchemy.orm import Session

from auto_benchmark.contract.trial import TrialState, config_hash
from auto_benchmark.db.repositories import experiments, observations, trials
from auto_benchmark.kinds import Purpose
from auto_benchmark.project.context import Context


def search_gain(ctx: Context, session: Session, experiment_id: int, board: str) -> float | None:
    """Gain over the base in fast validation, same seeds and inputs, positive is better; None where it is unknown."""
    experiment = experiments.get(session=session, project=ctx.project, experiment_id=experiment_id)
    measured = ctx.metric_of(board)
    if experiment is None or measured is None or experiment.plan.control_params is None:
        return None
    metric, higher = measured
    gains = []
    for trial in trials.of_experiment(session=session, experiment_id=experiment_id):
        plan = trial.plan
        if plan.purpose != Purpose.VALIDATION or trial.state is not TrialState.DONE:
            continue
        base = observations.of_config(
            session=session, project=ctx.project, stage=plan.stage, subset=plan.subset,
            config_hash=config_hash(plan.solution, experiment.plan.control_params, plan.benchmark),
            purposes=[Purpose.VALIDATION_BASE], tree=experiment.plan.control_tree,
        )  # fmt: skip
        ours = observations.metrics_of(session=session, trial_ids=[trial.id]).get(trial.id, {})
        gains += [
            ours[metric] - found.observation.metrics[metric]
            for found in base
            if found.observation.seed == plan.seed and metric in ours and metric in found.observation.metrics
        ]
    return (fmean(gains) if higher else -fmean(gains)) if gains else None
