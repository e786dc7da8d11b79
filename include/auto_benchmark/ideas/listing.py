"""Hypotheses as a person reads them: a line each, and one whole with its trials and decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.contract.record import Trial
from auto_benchmark.db.repositories import decisions, hypotheses, observations, papers, trials
from auto_benchmark.errors import InputError
from auto_benchmark.hypotheses.hypothesis import Hypothesis
from auto_benchmark.hypotheses.queue import why_there
from auto_benchmark.project.context import Context
from auto_benchmark.project.promoted_code import patch_between
from auto_benchmark.runners.runner import EnvironmentFaultError


def line(hypothesis: Hypothesis) -> dict[str, Any]:
    """``{"id", "title", "source", "kind", "status", "priority_score", "urgency"}``."""
    return {
        "id": hypothesis.id,
        "title": hypothesis.title,
        "source": hypothesis.source,
        "kind": hypothesis.implementation.kind,
        "status": str(hypothesis.status),
        "priority_score": hypothesis.priority_score,
        "urgency": str(hypothesis.urgency),
    }


def listed(ctx: Context, session: Session) -> list[dict[str, Any]]:
    """Every hypothesis of the project, highest priority first."""
    return [line(each) for each in hypotheses.listed(session=session, project=ctx.project)]


def briefs(ctx: Context, session: Session) -> list[dict[str, Any]]:
    """``{"paper", "title", "url", "priority", "techniques": [{"technique", "sentence"}]}``: what waits to be built."""
    return [asdict(each) for each in papers.briefs(session=session, project=ctx.project)]


def found(ctx: Context, session: Session, hypothesis_id: str) -> Hypothesis:
    """One hypothesis. Raises InputError where the project has none of that id."""
    hypothesis = hypotheses.get(session=session, project=ctx.project, hypothesis_id=hypothesis_id)
    if hypothesis is None:
        raise InputError(f"project {ctx.project} has no hypothesis {hypothesis_id!r}; `hypothesis list` names them")
    return hypothesis


def shown(ctx: Context, session: Session, hypothesis_id: str) -> dict[str, Any]:
    """One whole: :func:`line`, what it changes, its trials with their score, and what the gate said of it.

    A trial's score is the metric of the first board that the hypothesis is about; None before there is one.

    Raises:
        InputError: the project has no such hypothesis.
    """
    hypothesis = found(ctx, session, hypothesis_id)
    experiment = hypotheses.experiment_of(session=session, project=ctx.project, hypothesis_id=hypothesis_id)
    ran = [] if experiment is None else trials.of_experiment(session=session, experiment_id=experiment)
    made = [] if experiment is None else decisions.of_experiment(session=session, experiment_id=experiment)
    code = hypothesis.implementation.code
    return line(hypothesis) | {
        "claim": hypothesis.claim,
        "target_leaderboards": hypothesis.target_leaderboards,
        "reason": hypothesis.reason,
        "origin": hypothesis.origin,
        "priority_reason": why_there(hypothesis),
        "implementation": hypothesis.implementation.model_dump(mode="json"),
        "trials": _trials(ctx, session, hypothesis, ran),
        "decisions": [{"id": each.id, "verdict": str(each.verdict), "reason": each.reason} for each in made],
        "code": None if code is None else {"tree": code.tree, "files": code.files},
    }


def patch_of(ctx: Context, session: Session, hypothesis_id: str) -> str:
    """The whole patch between the code that a hypothesis was made from and its own.

    Raises:
        InputError: the project has no such hypothesis, it changes no code, or one of the two is not stored any more.
    """
    code = found(ctx, session, hypothesis_id).implementation.code
    if code is None:
        raise InputError(f"{hypothesis_id} changes no code")
    try:
        return patch_between(ctx, code.base_tree, code.tree)
    except EnvironmentFaultError as error:
        raise InputError(f"{hypothesis_id}: no patch: {error}") from None


def _trials(ctx: Context, session: Session, hypothesis: Hypothesis, ran: Sequence[Trial]) -> list[dict[str, Any]]:
    measured = ctx.bench.benchmark.benchmark.boards.get(hypothesis.target_leaderboards[0])
    metrics = observations.metrics_of(session=session, trial_ids=[trial.id for trial in ran])
    return [
        {
            "id": trial.id,
            "purpose": str(trial.plan.purpose),
            "seed": trial.plan.seed,
            "state": str(trial.state),
            "score": metrics.get(trial.id, {}).get(measured.metric) if measured else None,
        }
        for trial in ran
    ]
