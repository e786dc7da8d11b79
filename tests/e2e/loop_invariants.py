"""What must hold after the loop has run, however often it was killed: database, files and arena agree."""

import json
from pathlib import Path

import httpx
from sqlalchemy import text

from auto_benchmark.documents import load
from auto_benchmark.project.configuration import load_project
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
from auto_benchmark.settings import Settings
from auto_benchmark.stack.example_arena import example_arena
from auto_benchmark.stack.session import database

NO_DUPLICATES = {
    "deltas": "select snapshot_id, type, system from competitive_deltas group by 1, 2, 3 having count(*) > 1",
    "snapshots": (
        "select leaderboard_id, content_hash, prev from (select leaderboard_id, content_hash, lag(content_hash) over "
        "(partition by leaderboard_id, status order by id) prev from leaderboard_snapshots where status = 'ok') s "
        "where content_hash = prev"
    ),
    "trials": (
        "select config_hash, stage, subset, seed, purpose from trials group by 1, 2, 3, 4, 5 having count(*) > 1"
    ),
    "hypotheses": "select config_hash from hypotheses group by 1 having count(*) > 1",
    "promotions": (
        "select hypothesis_id, role from production_configs where hypothesis_id is not null "
        "group by 1, 2 having count(*) > 1"
    ),
    "decisions": "select experiment_id, look from promotion_decisions group by 1, 2 having count(*) > 1",
    "submissions": ("select leaderboard_id, production_config_id from submissions group by 1, 2 having count(*) > 1"),
    "hypotheses without gap": (
        "select last_hypothesis from projects p where last_hypothesis <> (select count(*) from hypotheses h "
        "where h.project = p.name)"
    ),
    "trials done without scores": (
        "select id from trials t where state = 'done' "
        "and not exists (select 1 from metric_values m where m.trial_id = t.id)"
    ),
    "experiments left open by finished hypotheses": (
        "select e.id from experiments e join hypotheses h on h.project = e.project and h.id = e.hypothesis_id "
        "where (e.outcome is null) <> (h.status = 'active')"
    ),
}


def violations(home: Path) -> list[str]:
    """Everything that is wrong; empty when database, files and arena agree."""
    settings = Settings(home=home)
    project = load_project(settings)
    found: list[str] = []
    with database(settings) as sessions, sessions() as session, example_arena(settings, say=lambda _: None) as arena:
        session.execute(text("set search_path to auto_benchmark"))
        for name, query in NO_DUPLICATES.items():
            found += [f"{name}: {tuple(row)}" for row in session.execute(text(query))]
        current = session.execute(
            text("select params, config_hash from production_configs where role = 'production' and closed_at is null")
        ).all()
        if len(current) != 1:
            found.append(f"{len(current)} production configurations are open")
        accepted = session.execute(
            text(
                "select l.name, count(*), max(s.id) from submissions s "
                "join leaderboards l on l.id = s.leaderboard_id "
                "where s.state = 'accepted' group by 1"
            )
        ).all()
        for board, count, _ in accepted:
            found += _arena_agrees(arena.base_url, board, count, project.registry.our_solution.name)
        live = load(CompetitiveRegistry, settings.project_home("default") / "competitive_registry.yaml")
        for board, score in session.execute(
            text(
                "select distinct on (l.name) l.name, s.our_score from leaderboard_snapshots s "
                "join leaderboards l on l.id = s.leaderboard_id where s.status = 'ok' "
                "order by l.name, s.fetched_at desc"
            )
        ):
            if live.our_solution.current_scores.get(board) != score:
                found.append(
                    f"registry says {live.our_solution.current_scores.get(board)} for {board}, database {score}"
                )
        found += _files_agree(settings.project_home("default"), session)
    return found


def _arena_agrees(url: str, board: str, accepted: int, ours: str) -> list[str]:
    entries = httpx.get(f"{url}/api/boards/{board}", trust_env=False).json()["entries"]
    mine = [entry for entry in entries if entry["system"] == ours]
    return [] if len(mine) == 1 else [f"{board} lists us {len(mine)} times after {accepted} submissions"]


def _files_agree(home: Path, session) -> list[str]:
    found = []
    for uri in session.scalars(text("select artifact_uri from trials where state = 'done'")):
        metrics = home / uri / "metrics.json"
        if not metrics.exists():
            found.append(f"{uri} has no metrics.json")
        elif not json.loads(metrics.read_text())["metrics"]:
            found.append(f"{uri} has no metrics")
    folders = {"queued": "queue", "active": "active", "promoted": "promoted", "challenger": "promoted"}
    for name, status in session.execute(text("select id, status from hypotheses")):
        here = [d.name for d in (home / "experiments").iterdir() if (d / f"{name}.yaml").exists()]
        if here != [folders.get(status, "archived")]:
            found.append(f"{name} is {status} and lies in {here}")
    return found
