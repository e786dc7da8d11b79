"""What the loop does: the queue, trials at work, one hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fastapi import FastAPI, HTTPException
from fastapi.responses import RedirectResponse
from sqlalchemy.orm import Session

from auto_benchmark.contract.measured import MetricSource, source_of
from auto_benchmark.db.repositories import hypotheses, overview, papers, records, trial_rows
from auto_benchmark.db.repositories.trial_rows import TrialRow
from auto_benchmark.errors import InputError
from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus
from auto_benchmark.hypotheses.queue import why_there
from auto_benchmark.kinds import LogKind
from auto_benchmark.tracking.mlflow_errors import TrackerAwayError
from auto_benchmark.tracking.mlflow_pages import is_web, page_of
from auto_benchmark_airflow.web.parameters import Limit
from auto_benchmark_airflow.web.reads.records import decision_facts
from auto_benchmark_airflow.web.world import World


def add_work(app: FastAPI, world: World) -> None:
    """The queue, trials at work, one hypothesis and its runs in MLflow."""

    @app.get("/api/{project}/queue")
    def queue(project: str, limit: Limit = 50) -> list[dict[str, Any]]:
        """Hypotheses that wait, run or are paused, with their priority and why."""
        with world.sessions() as session:
            statuses = [s for s in HypothesisStatus if s.is_open or s.value == "paused"]
            found = hypotheses.listed(session=session, project=project, statuses=statuses, limit=limit)
        return [h.model_dump(mode="json") for h in found]

    @app.get("/api/{project}/running")
    def running(project: str) -> list[dict[str, Any]]:
        """Trials at work: how long they have run, and how long trials of their kind usually take."""
        now = world.now()
        with world.sessions() as session:
            rows = trial_rows.running(session=session, project=project)
        return [{**asdict(r), "elapsed_s": (now - r.started_at).total_seconds() if r.started_at else 0} for r in rows]

    @app.get("/api/{project}/hypotheses/{hypothesis_id}")
    def hypothesis(project: str, hypothesis_id: str) -> dict[str, Any]:
        """One hypothesis: its source, its patch, its trials seed by seed and every decision on it."""
        with world.sessions() as session:
            found = hypotheses.get(session=session, project=project, hypothesis_id=hypothesis_id)
            if found is None:
                raise HTTPException(404, f"no hypothesis {hypothesis_id}")
            experiment = hypotheses.experiment_of(session=session, project=project, hypothesis_id=hypothesis_id)
            made = overview.decided(session=session, project=project, hypothesis_id=hypothesis_id)
            cited = _papers(session, project, hypothesis_id)
            rows = (
                trial_rows.of_experiment(
                    session=session,
                    project=project,
                    experiment_id=experiment,
                    config_hash=found.config_hash,
                    tree=found.tree,
                )
                if experiment is not None
                else []
            )
        return {
            "hypothesis": found.model_dump(mode="json"),
            **_code(world, project, found),
            "priority_reason": why_there(found),
            "papers": cited,
            "trials": [asdict(row) for row in rows],
            "self_reported": _self_reported(world, project, rows),
            "decisions": [decision_facts(row) for row in reversed(made)],
            "mlflow": is_web(world.mlflow),
        }

    @app.get("/api/{project}/hypotheses/{hypothesis_id}/mlflow")
    def tracked(project: str, hypothesis_id: str) -> RedirectResponse:
        """Leads to the hypothesis' run in MLflow, or to MLflow itself where it has not heard of it yet."""
        with world.sessions() as session:
            found = hypotheses.get(session=session, project=project, hypothesis_id=hypothesis_id)
        if found is None or not is_web(world.mlflow) or not is_web(world.settings.mlflow_url):
            raise HTTPException(404, f"MLflow has no address, or there is no hypothesis {hypothesis_id}")
        try:
            page = page_of(str(world.settings.mlflow_url), project, found.id)
        except TrackerAwayError as error:
            raise HTTPException(502, str(error)) from None
        return RedirectResponse(
            f"{str(world.mlflow).rstrip('/')}{page or '/'}", headers={"Cache-Control": "no-store"}
        )


def _code(world: World, project: str, found: Hypothesis) -> dict[str, Any]:
    """The change of code, with every character spelt out that could hide others, and what it looks at besides its data."""
    from auto_benchmark.project.promoted_code import diff_of, remarks_on

    code = found.implementation.code
    if code is None:
        return {"diff": "", "remarks": []}
    try:
        ctx = world.context(project)
    except InputError as error:
        return {"diff": f"no patch: {error}", "remarks": []}
    trees = (code.base_tree, found.tree)
    return {"diff": diff_of(ctx, *trees), "remarks": remarks_on(ctx, *trees)}


def _self_reported(world: World, project: str, rows: Sequence[TrialRow]) -> list[str]:
    """Names of the metrics that only the trials vouch for; none where the project's files cannot be read."""
    try:
        scored = world.context(project).bench.scored_metrics
    except InputError:
        return []
    names = {name for row in rows for name in row.metrics}
    return sorted(name for name in names if source_of(name, scored) is MetricSource.SELF_REPORTED)


def _papers(session: Session, project: str, hypothesis_id: str) -> list[dict[str, Any]]:
    """The papers that proposed a hypothesis, with the sentences that credit the technique."""
    told = records.logged(session=session, project=project, kind=LogKind.PAPER_HYPOTHESIS, subject=hypothesis_id)
    found = {str(e.inputs.get("paper")): str(e.inputs.get("technique")) for e in told}
    cited = []
    for paper_id, technique in found.items():
        record = papers.get(session=session, project=project, paper_id=paper_id)
        if record is not None:
            credited = record.reading.techniques if record.reading else ()
            own = list(dict.fromkeys(t.sentence for t in credited if t.id == technique))
            sentences = own or [sentence for _, sentence in record.techniques.values()]
            paper = record.paper
            cited.append({"id": paper.id, "title": paper.title, "url": paper.url, "sentences": sentences})
    return cited
