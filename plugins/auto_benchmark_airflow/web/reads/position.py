"""Where we stand: boards, one board over time, systems against boards."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Literal

from fastapi import FastAPI
from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import board_history, overview, production
from auto_benchmark.db.repositories.overview import BoardRow, SortKey
from auto_benchmark.leaderboards.standing import lead
from auto_benchmark.leaderboards.unit import declared_unit, unit_factor
from auto_benchmark.leaderboards.victory import evaluate
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.tables.naming import identities, identity
from auto_benchmark_airflow.web.parameters import Limit, Offset
from auto_benchmark_airflow.web.world import World

Sort = Literal["position", "board", "rank", "score", "gap", "freshness"]
MOST_COLUMNS = 12
"""Boards that the gap matrix shows side by side."""


def add_position(app: FastAPI, world: World) -> None:
    """Boards, their histories, and systems against boards."""

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
            seen = board_history.history(session=session, project=project, board=board, limit=limit)
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
            return _matrix(world, session, project, board, limit, offset)


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
    held = production.current(session=session, project=project)
    ours = held.candidate.scores if held is not None and held.candidate.decision_id is not None else {}
    return [
        {
            **asdict(rows[name]),
            **_board(rows[name], declared[name], standings.get(name, []), oldest),
            "measured": _measured(rows[name], declared[name], ours.get(name)),
        }
        for name in names
    ]


def _measured(row: BoardRow, declared: Leaderboard, score: float | None) -> float | None:
    """Our own measurement of production in the board's unit; None before the first promotion."""
    if score is None:
        return None
    scores = [] if row.leader_score is None else [row.leader_score]
    factor = unit_factor(
        scores, score, metric=row.metric, declared=declared_unit(declared.unit), higher_is_better=row.higher_is_better
    )
    return round(score * factor, 6)


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


def _matrix(
    world: World, session: Session, project: str, board: str | None, limit: int, offset: int
) -> dict[str, Any]:
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
    mine = identities(world.ours(project))
    rows = []
    for entry in page:
        ours = entry.rank is not None and identity(entry.system) in mine
        delta = None
        if not ours and first.our_score is not None and entry.score is not None:
            delta = lead(first.our_score, entry.score, higher_is_better=first.higher_is_better)
        rows.append(
            {
                "rank": entry.rank, "system": entry.system, "note": entry.note,
                "ours": ours, "delta": delta,
                "scores": {first.name: entry.score, **elsewhere.get(entry.system.lower(), {})},
            }
        )  # fmt: skip
    return {"boards": [b.name for b in columns], "rows": rows, "total": first.n_entries}
