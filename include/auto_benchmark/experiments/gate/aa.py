"""A/A on real trials: production against itself through the whole gate, from trials that were run anyway."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.boards.standing import focus
from auto_benchmark.contract.record import ExperimentPlan
from auto_benchmark.contract.trial import Stage
from auto_benchmark.db.repositories import decisions, experiments, observations
from auto_benchmark.experiments.gate.evidence import CONTROL_PURPOSES, gate_case
from auto_benchmark.kinds import ExperimentKind, Outcome
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import production_config
from auto_benchmark.project.solution_code import environment_key
from auto_benchmark.promotion.aa import FalseRate, false_rate

CANDIDATES = 3
"""Newest trials that play the candidate; each plays it once."""
LEAST_CONTROL = 5


def compare_with_itself(ctx: Context) -> dict[str, Any] | None:
    """Ask the gate about production's newest trials as if they were a candidate's.

    A promotion here is false by construction; ``status`` shows the rate. The older trials serve as control in more
    than one comparison, as they do for real candidates.

    Returns:
        ``{"key", "verdict", "decision_id"}``; None until enough new trials have come in.
    """
    with ctx.sessions.begin() as session:
        current, aim = production_config(ctx, session), focus(ctx, session)
        found = observations.of_config(
            session=session,
            project=ctx.project,
            config_hash=current.config_hash,
            stage=Stage.FULL,
            items_of=aim.metric,
            purposes=CONTROL_PURPOSES,
            fingerprint_hash=environment_key(ctx, current.candidate.tree),
        )
        ordered = sorted(found, key=lambda trial: trial.trial_id)
        played = experiments.counted(
            session=session, project=ctx.project, kind=ExperimentKind.AA, key_prefix=f"{current.id}/"
        )
        first = LEAST_CONTROL + played * CANDIDATES
        candidate = ordered[first : first + CANDIDATES]
        if len(candidate) < CANDIDATES:
            return None
        key = f"{current.id}/{played + 1}"
        params, data = current.candidate.params, current.candidate.benchmark
        tree = current.candidate.tree
        plan = ExperimentPlan(
            ExperimentKind.AA, key, current.candidate.solution, data, params, params, tree=tree, control_tree=tree
        )
        experiment = experiments.start(session=session, project=ctx.project, plan=plan)
        case = gate_case(
            ctx,
            session,
            aim.board,
            data=data,
            candidate=[trial.observation for trial in candidate],
            control=[trial.observation for trial in ordered[:first]],
            trees=(tree,),
        )
        decision = case.decide()
        recorded, _ = decisions.record(
            session=session,
            project=ctx.project,
            experiment_id=experiment.id,
            look=1,
            case=case,
            decision=decision,
            trial_ids=[trial.trial_id for trial in ordered[: first + CANDIDATES]],
        )
        experiments.finish(
            session=session, experiment_id=experiment.id, outcome=Outcome(decision.verdict), reason=decision.reason
        )
    return {"key": key, "verdict": str(recorded.verdict), "decision_id": recorded.id}


def measured_rate(*, session: Session, project: str) -> FalseRate | None:
    """How often the gate promoted a project's production over itself; None before the first comparison."""
    return false_rate(decisions.final_verdicts(session=session, project=project, kind=ExperimentKind.AA))
