"""Claimed gains beside what the gate measured, for every hypothesis with a final verdict."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from auto_benchmark.db.models import Experiment, Hypothesis, PromotionDecision
from auto_benchmark.hypotheses.origin import origin_in
from auto_benchmark.hypotheses.source_prior import JudgedClaim
from auto_benchmark.kinds import ExperimentKind
from auto_benchmark.promotion.level import DISCOVERIES
from auto_benchmark.promotion.schema import Decision, Verdict


def judged_claims(*, session: Session, project: str) -> list[JudgedClaim]:
    """By the last decision on each, as far as it is final and estimates an improvement; oldest first.

    A claim over another configuration than the gate's control, such as a challenger's, is left out: what was claimed and
    what was measured count from different places.
    """
    query = (
        select(
            Hypothesis.id, Hypothesis.origin, Hypothesis.source, Hypothesis.implementation, PromotionDecision.decision,
            Experiment.control_params,
        )
        .join(Experiment, (Experiment.project == Hypothesis.project) & (Experiment.key == Hypothesis.id))
        .join(PromotionDecision, PromotionDecision.experiment_id == Experiment.id)
        .where(
            Hypothesis.project == project, Experiment.kind == ExperimentKind.HYPOTHESIS,
            Experiment.outcome.is_not(None),
        )
        .order_by(PromotionDecision.id)
    )  # fmt: skip
    last = {key: rest for key, *rest in session.execute(query)}
    found = []
    for origin, source, implementation, stored, control in last.values():
        base = implementation.get("base")
        if base and control is not None and base != control:
            continue
        decision = Decision.model_validate_json(stored)
        if Verdict(decision.verdict).is_final and decision.estimate is not None:
            claimed = float(implementation["estimated_gain"])
            found.append(
                JudgedClaim(origin or origin_in(source), claimed, decision.estimate, decision.verdict in DISCOVERIES)
            )
    return found
