"""What was decided and read: decisions with their numbers, the decision log, papers, digests."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import date
from typing import Any

from fastapi import FastAPI, HTTPException

from auto_benchmark.db.repositories import overview, papers, records
from auto_benchmark.db.repositories.overview import DecidedRow
from auto_benchmark_airflow.web.parameters import Before, Limit
from auto_benchmark_airflow.web.world import World


def add_records(app: FastAPI, world: World) -> None:
    """Decisions, log, papers, digests."""

    @app.get("/api/{project}/decisions")
    def made(project: str, limit: Limit = 20, before: Before | None = None) -> list[dict[str, Any]]:
        """Decisions, newest first, with the criteria and the numbers behind each."""
        with world.sessions() as session:
            rows = overview.decided(session=session, project=project, limit=limit, before=before)
        return [decision_facts(row) for row in rows]

    @app.get("/api/{project}/log")
    def logged(project: str, limit: Limit = 50) -> list[dict[str, Any]]:
        """The decision log, newest first."""
        with world.sessions() as session:
            found = records.logged(session=session, project=project, limit=limit)
        return [{"at": e.created_at, "kind": e.kind, "subject": e.subject, "reason": e.reason} for e in found]

    @app.get("/api/{project}/papers")
    def read(project: str, limit: Limit = 50, relevant: bool | None = None) -> list[dict[str, Any]]:
        """Papers by priority, with what was found in them."""
        with world.sessions() as session:
            found = papers.listed(session=session, project=project, relevant=relevant, limit=limit)
        return [
            {name: getattr(record.paper, name) for name in ("id", "source", "title", "url")}
            | {
                name: getattr(record, name)
                for name in ("published_at", "relevant", "reason", "priority", "disposition")
            }
            | {"techniques": sorted(record.techniques)}
            for record in found
        ]

    @app.get("/api/{project}/briefs")
    def briefs(project: str) -> list[dict[str, Any]]:
        """What papers credit and no knob maps: for an agent or a person to build."""
        with world.sessions() as session:
            return [asdict(each) for each in papers.briefs(session=session, project=project)]

    @app.get("/api/{project}/digests")
    def digests(project: str, limit: Limit = 52) -> list[dict[str, Any]]:
        """Weeks that have a digest, newest first, each with its numbers."""
        with world.sessions() as session:
            found = records.digests(session=session, project=project, limit=limit)
        counted = ("completed", "failed_validation", "promoted")
        return [
            {"week": d.week, "sent_at": d.sent_at, "changes": len(d.facts.get("changes", []))}
            | {name: d.facts.get(name, 0) for name in counted}
            for d in found
        ]

    @app.get("/api/{project}/digests/{week}")
    def digest(project: str, week: date) -> dict[str, Any]:
        """One week's digest: the lines that the file and Slack have too."""
        with world.sessions() as session:
            found = records.digest(session=session, project=project, week=week)
        if found is None:
            raise HTTPException(404, f"no digest of the week of {week}")
        return {"week": found.week, "sent_at": found.sent_at, "facts": found.facts}


def decision_facts(row: DecidedRow) -> dict[str, Any]:
    """A decision as pages show it."""
    said = json.loads(row.decision_json)
    return {
        "id": row.id, "hypothesis_id": row.hypothesis_id, "kind": row.kind, "look": row.look, "verdict": row.verdict,
        "reason": row.reason, "n": said.get("n"), "estimate": said.get("estimate"), "interval": said.get("interval"),
        "criteria": said.get("criteria", []), "sha256": row.sha256, "trials": list(row.trial_ids),
        "alpha_spent": row.alpha_spent, "alpha_wealth": row.alpha_wealth, "decided_at": row.decided_at,
    }  # fmt: skip
