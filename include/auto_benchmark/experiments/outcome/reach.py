"""A challenger takes production's place once its board has come within its reach: the leader fell, or was corrected."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.contract.record import Experiment
from auto_benchmark.db.repositories import decisions, experiments, hypotheses, production
from auto_benchmark.experiments.gate import evidence
from auto_benchmark.experiments.gate.rounds import ANEW, experiment_of
from auto_benchmark.experiments.outcome.promotion import finish
from auto_benchmark.kinds import Outcome
from auto_benchmark.project.context import Context
from auto_benchmark.promotion.production import Role
from auto_benchmark.promotion.schema import Verdict


def promote_within_reach(ctx: Context) -> dict[str, Any] | None:
    """Decide the challenger again on the trials that it has and the board as it stands.

    Only a verdict that promotes changes anything; what follows it is what follows any promotion: the fresh seeds that
    it has run, a person where one is to be asked, handing in. No trial is run.

    Returns:
        What :func:`finish` returns; None where there is no challenger, or #1 is out of its reach.
    """
    with ctx.sessions.begin() as session:
        experiment = _of_the_challenger(ctx, session)
        if experiment is None or not _reaches(ctx, session, experiment):
            return None
    return finish(ctx, experiment.plan.key)


def _of_the_challenger(ctx: Context, session: Session) -> Experiment | None:
    """The experiment that made the challenger; None where a person has been asked, or its knobs were fitted since."""
    holder = production.current(session=session, project=ctx.project, role=Role.CHALLENGER)
    if holder is None or holder.candidate.hypothesis_id is None:
        return None
    try:
        experiment = experiment_of(ctx, session, holder.candidate.hypothesis_id)
    except LookupError:
        return None
    if experiment.plan.config_hash != holder.config_hash or experiment.plan.tree != holder.candidate.tree:
        return None
    return experiment if experiment.outcome in {None, Outcome.CHALLENGER} else None


def _reaches(ctx: Context, session: Session, experiment: Experiment) -> bool:
    """Whether the gate would promote it now; if so, its experiment is open again with that decision as its last."""
    made = decisions.of_experiment(session=session, experiment_id=experiment.id)
    if experiment.outcome is None:
        return bool(made) and made[-1].verdict is Verdict.PROMOTE  # killed between this and its end
    hypothesis = hypotheses.get(session=session, project=ctx.project, hypothesis_id=experiment.plan.key)
    if hypothesis is None or not made or ctx.bench.draw_of(experiment.plan.benchmark) is None:
        return False
    board = hypothesis.target_leaderboards[0]
    if ctx.metric_of(board) is None:
        return False
    gathered = evidence.gather(ctx, session, experiment, board)
    decision = gathered.case.decide()
    if decision.verdict is not Verdict.PROMOTE:
        return False
    decisions.record(
        session=session, project=ctx.project, experiment_id=experiment.id, look=(made[-1].look // ANEW + 1) * ANEW,
        case=gathered.case, decision=decision, trial_ids=gathered.trial_ids, alpha_spent=gathered.case.alpha,
        alpha_wealth=gathered.remaining,
    )  # fmt: skip
    experiments.reopen(session=session, experiment_id=experiment.id)
    ctx.say(f"{experiment.plan.key}, the challenger, is now projected to reach #1 on {board}: decided again")
    return True
