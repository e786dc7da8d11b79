"""What concerns the person who asks: projects and rights, what waits for a person, everything that is one number."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from fastapi import Depends, FastAPI
from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import (
    decisions,
    hypotheses,
    overview,
    production,
    records,
    spending,
    split_queries,
    trials,
)
from auto_benchmark.db.repositories.judged_claims import judged_claims
from auto_benchmark.experiments.gate.aa import measured_rate
from auto_benchmark.experiments.gate.purse import by_source, purse
from auto_benchmark.experiments.outcome.promotion import APPROVE_PROMOTION
from auto_benchmark.hypotheses.source_prior import priors
from auto_benchmark.telling.questions import PROMOTION, kind_of, outdated
from auto_benchmark_airflow.web.access import Access
from auto_benchmark_airflow.web.reads.records import decision_facts
from auto_benchmark_airflow.web.world import World


def add_people(app: FastAPI, access: Access, world: World) -> None:
    """Projects and rights, the summary, escalations."""
    signed_in = Depends(access.user)

    @app.get("/api/projects")
    def listed(user: Any = signed_in) -> list[dict[str, Any]]:
        """The projects that the user may see, and what may be done in each."""
        names = [name for name in world.projects() if access.may_read(name, user)]
        dags = ("leaderboard_scrape", "experiment_sweep", "experiment_sweep_urgent")
        return [{"name": name, "may": {dag: access.may_act(name, dag, user) for dag in dags}} for name in names]

    @app.get("/api/{project}/summary")
    def summary(project: str) -> dict[str, Any]:
        """Everything that is one number."""
        with world.sessions() as session:
            return _summary(world, session, project)

    @app.get("/api/{project}/escalations")
    def open_escalations(project: str) -> list[dict[str, Any]]:
        """What waits for a person, oldest first; with the decision where a promotion is asked for.

        ``outdated`` says why there is nothing left to approve, and the question is to be closed.
        """
        with world.sessions() as session:
            found = records.open_escalations(session=session, project=project)
            return [{**asdict(e), **_facts(session, project, e.key)} for e in found]


def _facts(session: Session, project: str, key: str) -> dict[str, Any]:
    return {
        "kind": kind_of(key),
        "outdated": outdated(session, key, project),
        "decision": _asked(session, project, key),
    }


def _asked(session: Session, project: str, key: str) -> dict[str, Any] | None:
    if kind_of(key) != PROMOTION:
        return None
    number = int(key.removeprefix(APPROVE_PROMOTION))
    rows = overview.decided(session=session, project=project, before=number + 1, limit=1)
    return decision_facts(rows[0]) if rows and rows[0].id == number else None


def _summary(world: World, session: Session, project: str) -> dict[str, Any]:
    about: dict[str, Any] = {"session": session, "project": project}
    schedule = world.schedule(project)
    aa = measured_rate(**about)
    spent = spending.since(**about, moment=world.now() - timedelta(days=1))
    current = production.current(**about)
    return {
        "now": world.now(),
        "alpha_wealth": decisions.alpha_wealth(**about),
        "aa": {"rate": aa.rate, "interval": aa.interval} if aa else None,
        "sources": [asdict(each) for each in priors(judged_claims(**about)) if each.judged],
        "levels": by_source(purse(**about, shares=schedule.gate.shares)),
        "split_queries": split_queries.by_split(**about),
        "spent_day": asdict(spent),
        "budget": {**schedule.budget.model_dump(), "currency": schedule.rate_card.currency},
        "automation": schedule.automation.model_dump(mode="json"),
        "trials": {state.value: count for state, count in trials.counts(**about).items()},
        "hypotheses": hypotheses.outcome_counts(**about),
        "escalations": len(records.open_escalations(**about)),
        "production": None
        if current is None
        else {"params": current.candidate.params, "scores": current.candidate.scores, "since": current.opened_at},
    }
