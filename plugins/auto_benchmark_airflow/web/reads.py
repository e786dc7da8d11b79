"""What can be asked: one route per part of the page. Lists come in pages, whatever the size of the data."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import Depends, FastAPI, HTTPException, Query
from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import (
    decisions,
    hypotheses,
    news,
    overview,
    papers,
    production,
    projects,
    records,
    snapshots,
    spending,
    split_queries,
    trial_rows,
    trials,
)
from auto_benchmark.db.repositories.overview import BoardRow, DecidedRow, SortKey
from auto_benchmark.leaderboards.victory import evaluate
from auto_benchmark.pipelines.aa import KIND
from auto_benchmark.promotion.aa import false_rate
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark_airflow.web.access import Access
from auto_benchmark_airflow.web.world import World

Limit = Annotated[int, Query(ge=1, le=200)]
Offset = Annotated[int, Query(ge=0)]
Sort = Literal["position", "board", "rank", "score", "gap", "freshness"]
MOST_COLUMNS = 12
"""Boards that the gap matrix shows side by side."""


def add_reads(app: FastAPI, access: Access, world: World) -> None:
    """Add every route that changes nothing."""
    _add_landscape(app, access, world)
    _add_work(app, world)
    _add_records(app, world)


def _add_landscape(app: FastAPI, access: Access, world: World) -> None:
    signed_in = Depends(access.user)

    @app.get("/api/projects")
    def listed(user: Any = signed_in) -> list[dict[str, Any]]:
        """The projects that the user may see, and what may be done in each."""
        with world.sessions() as session:
            names = [name for name in projects.names(session=session) if access.may_read(name, user)]
        dags = ("leaderboard_scrape", "experiment_sweep", "experiment_sweep_urgent")
        return [{"name": name, "may": {dag: access.may_act(name, dag, user) for dag in dags}} for name in names]

    @app.get("/api/{project}/summary")
    def summary(project: str) -> dict[str, Any]:
        """Everything that is one number."""
        with world.sessions() as session:
            return _summary(world, session, project)

    @app.get("/api/{project}/boards")
    def boards(
        project: str, limit: Limit = 50, offset: Offset = 0, sort: Sort = "position", down: bool = False, q: str = ""
    ) -> dict[str, Any]:
        """Where we stand, board by board."""
        with world.sessions() as session:
            if sort == "position":
                found = overview.names(session=session, project=project, text=q)
            else:
                found = _sorted(overview.sort_keys(session=session, project=project, text=q), sort, down)
            page = _boards(world, session, project, found[offset : offset + limit])
        return {"found": len(found), "boards": page}

    @app.get("/api/{project}/history")
    def history(project: str, board: str, limit: Limit = 200) -> dict[str, Any]:
        """Our rank and score on one board over time, with the promotions in between."""
        with world.sessions() as session:
            seen = snapshots.history(session=session, project=project, board=board, limit=limit)
            held = production.history(session=session, project=project, limit=limit)
        points = [{"at": h.fetched_at, **asdict(h.standing)} for h in seen]
        marks = [
            {"at": h.opened_at, "hypothesis_id": h.candidate.hypothesis_id, "reason": h.candidate.reason}
            for h in held
        ]
        return {"board": board, "points": points, "promotions": marks[::-1]}

    @app.get("/api/{project}/matrix")
    def matrix(project: str, board: str | None = None, limit: Limit = 25, offset: Offset = 0) -> dict[str, Any]:
        """Systems against boards, ranked by one board (the first by default)."""
        with world.sessions() as session:
            return _matrix(session, project, board, limit, offset)


def _add_work(app: FastAPI, world: World) -> None:
    @app.get("/api/{project}/queue")
    def queue(project: str, limit: Limit = 50) -> list[dict[str, Any]]:
        """Hypotheses that wait, run or are paused, with their priority and why."""
        with world.sessions() as session:
            statuses = [s for s in hypotheses.HypothesisStatus if s.is_open or s.value == "paused"]
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
            rows = (
                trial_rows.of_experiment(session=session, experiment_id=experiment, config_hash=found.config_hash)
                if experiment is not None
                else []
            )
        return {
            "hypothesis": found.model_dump(mode="json"),
            "trials": [asdict(row) for row in rows],
            "decisions": [_decision(row) for row in reversed(made)],
            "mlflow": world.settings.mlflow_url,
        }


def _add_records(app: FastAPI, world: World) -> None:
    @app.get("/api/{project}/decisions")
    def made(project: str, limit: Limit = 20, before: int | None = None) -> list[dict[str, Any]]:
        """Decisions, newest first, with the criteria and the numbers behind each."""
        with world.sessions() as session:
            rows = overview.decided(session=session, project=project, limit=limit, before=before)
        return [_decision(row) for row in rows]

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
        names = ("id", "source", "title", "url", "published_at", "relevant", "reason", "priority", "disposition")
        return [{**{name: getattr(p, name) for name in names}, "techniques": sorted(p.techniques)} for p in found]

    @app.get("/api/{project}/escalations")
    def open_escalations(project: str) -> list[dict[str, Any]]:
        """What waits for a person, oldest first."""
        with world.sessions() as session:
            found = records.open_escalations(session=session, project=project)
            raised = {e.key: e for e in news.escalations(session=session, project=project, since=_EPOCH)}
        return [{**asdict(e), "decision_id": raised[e.key].inputs.get("decision_id")} for e in found]


_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


def _summary(world: World, session: Session, project: str) -> dict[str, Any]:
    about: dict[str, Any] = {"session": session, "project": project}
    schedule = world.schedule(project)
    aa = false_rate(decisions.final_verdicts(**about, kind=KIND))
    spent = spending.since(**about, moment=world.now() - timedelta(days=1))
    current = production.current(**about)
    return {
        "now": world.now(),
        "alpha_wealth": decisions.alpha_wealth(**about),
        "aa": {"rate": aa.rate, "interval": aa.interval} if aa else None,
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


def _sorted(found: list[SortKey], sort: str, down: bool) -> list[str]:
    """Names by one column; boards without a value come last in both directions."""

    def value(key: SortKey) -> Any:
        return key.board.casefold() if sort == "board" else getattr(key, sort)

    known = sorted((key for key in found if value(key) is not None), key=value, reverse=down)
    return [key.board for key in [*known, *(key for key in found if value(key) is None)]]


def _boards(world: World, session: Session, project: str, names: list[str]) -> list[dict[str, Any]]:
    schedule = world.schedule(project)
    rows = {row.name: row for row in overview.boards(session=session, project=project, names=names)}
    declared = overview.specs(session=session, project=project, boards=names)
    most = max((board.victory_condition.sustained_cycles for board in declared.values()), default=1)
    standings = overview.standings(session=session, project=project, boards=names, each=most)
    oldest = world.now() - timedelta(hours=schedule.freshness.max_age_hours)
    return [_board(rows[name], declared[name], standings.get(name, []), oldest) for name in names]


def _board(row: BoardRow, declared: Leaderboard, standings: list[Any], oldest: datetime) -> dict[str, Any]:
    condition = declared.victory_condition
    victory = evaluate(
        condition, standings[-condition.sustained_cycles :], higher_is_better=declared.higher_is_better
    )
    moved = None if row.our_rank is None or row.rank_before is None else row.rank_before - row.our_rank
    return {
        "board": row.name, "metric": row.metric, "higher_is_better": row.higher_is_better, "rank": row.our_rank,
        "score": row.our_score, "score_before": row.score_before, "gap": row.gap, "moved": moved,
        "leader": row.leader, "leader_score": row.leader_score, "entries": row.n_entries,
        "mode": "defense" if row.our_rank == 1 else "attack", "victory": victory.achieved,
        "victory_text": victory.text, "seen_at": row.last_seen_at,
        "stale": row.trouble is not None or row.last_seen_at is None or row.last_seen_at < oldest,
        "problem": None if row.trouble is None else f"{row.trouble}: {row.reason}",
    }  # fmt: skip


def _matrix(session: Session, project: str, board: str | None, limit: int, offset: int) -> dict[str, Any]:
    names = overview.names(session=session, project=project, limit=MOST_COLUMNS)
    wanted = names if board is None else [board, *names]
    known = [b for b in overview.boards(session=session, project=project, names=wanted) if b.snapshot_id is not None]
    first = next((b for b in known if b.name == board), known[0] if known else None)
    if first is None or first.snapshot_id is None:
        return {"boards": [], "rows": [], "total": 0}
    columns = [first, *(b for b in known if b is not first)][:MOST_COLUMNS]
    page = overview.entries(session=session, snapshot_id=first.snapshot_id, limit=limit, offset=offset)
    others = {b.snapshot_id: b.name for b in columns[1:] if b.snapshot_id is not None}
    scores = overview.scores_of(session=session, snapshot_ids=others, systems=[e.system for e in page])
    elsewhere: dict[str, dict[str, float | None]] = {}
    for snapshot_id, system, score in scores:
        elsewhere.setdefault(system, {})[others[snapshot_id]] = score
    sign = 1 if first.higher_is_better else -1
    rows = []
    for entry in page:
        known_delta = first.our_score is not None and entry.score is not None
        rows.append(
            {
                "rank": entry.rank, "system": entry.system, "note": entry.note,
                "ours": entry.rank == first.our_rank and entry.score == first.our_score,
                "delta": sign * ((first.our_score or 0.0) - (entry.score or 0.0)) if known_delta else None,
                "scores": {first.name: entry.score, **elsewhere.get(entry.system.lower(), {})},
            }
        )  # fmt: skip
    return {"boards": [b.name for b in columns], "rows": rows, "total": first.n_entries}


def _decision(row: DecidedRow) -> dict[str, Any]:
    said = json.loads(row.decision_json)
    return {
        "id": row.id, "hypothesis_id": row.hypothesis_id, "kind": row.kind, "look": row.look, "verdict": row.verdict,
        "reason": row.reason, "n": said.get("n"), "estimate": said.get("estimate"), "interval": said.get("interval"),
        "criteria": said.get("criteria", []), "sha256": row.sha256, "trials": list(row.trial_ids),
        "alpha_spent": row.alpha_spent, "alpha_wealth": row.alpha_wealth, "decided_at": row.decided_at,
    }  # fmt: skip
