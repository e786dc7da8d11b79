"""The first step of the scheduled DAGs and of most commands: bring database, files and declarations into agreement."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.artifacts import live_registry
from auto_benchmark.db.repositories import board_history, locks, production, projects, rank_drops, snapshots
from auto_benchmark.project import queue_files
from auto_benchmark.project.adopted_boards import adopted_boards, row_of
from auto_benchmark.project.board_units import in_board_units
from auto_benchmark.project.configuration import REGISTRY_FILE, project_directory
from auto_benchmark.project.context import Context
from auto_benchmark.project.folder_code import folder_edit, settle_code
from auto_benchmark.project.gate_items import carry_over
from auto_benchmark.project.knob_changes import fit_stored
from auto_benchmark.project.leaked import sweep_leaked
from auto_benchmark.project.promoted_code import write_promoted_code
from auto_benchmark.project.tracking import flush_what_was_left
from auto_benchmark.promotion.production import ProductionCandidate
from auto_benchmark.tables.naming import identities, identity

log = logging.getLogger(__name__)
MOST_COMPETITORS = 50


def reconcile(ctx: Context, before_views: Callable[[Context], None] = lambda _: None) -> dict[str, Any]:
    """Record the declaration, open a first production configuration, wake unanswered rank drops, render the views.

    What is stored is fitted to the knobs as they are declared now, unless they belong to code that is not production's.
    ``before_views`` reads what people have put beside the views, before these are written anew.

    Returns:
        The number of unanswered rank drops.
    """
    with ctx.sessions.begin() as session:
        projects.upsert(session=session, project=ctx.project, registry=ctx.config.registry)
        if production.current(session=session, project=ctx.project) is None:
            production.promote(session=session, project=ctx.project, candidate=_default_candidate(ctx))
        settle_code(ctx, session)
        edit = folder_edit(ctx, session)
        if edit is None or not edit.new_knobs:
            fit_stored(ctx, session)
        carry_over(ctx, session)
        unclaimed = rank_drops.notify_unclaimed(session=session, project=ctx.project)
    before_views(ctx)
    render_views(ctx)
    sweep_leaked(ctx)
    flush_what_was_left(ctx)
    return {"unclaimed_rank_drops": unclaimed}


def render_views(ctx: Context) -> None:
    """Write the live registry and the queue's files from the database, one writer at a time."""
    with ctx.sessions.begin() as session:
        locks.lock(session=session, project=ctx.project, what="registry")
        declared = (project_directory(ctx.settings, ctx.project) / REGISTRY_FILE).read_text(encoding="utf-8-sig")
        text = live_registry.render(
            declared, competitors=_competitors(ctx, session), current_scores=_current_scores(ctx, session),
            adopted=[row_of(board) for board in adopted_boards(ctx.settings, ctx.project)],
        )  # fmt: skip
        atomic.write_text(ctx.home / REGISTRY_FILE, text)
        queue_files.write(ctx, session)
        write_promoted_code(ctx, session)


def _default_candidate(ctx: Context) -> ProductionCandidate:
    solution = ctx.config.solution.solution
    return ProductionCandidate(
        solution=solution.name,
        benchmark=ctx.bench.ref,
        params=solution.defaults,
        scores=dict(ctx.config.registry.our_solution.current_scores),
        reason="the solution's defaults, where every project starts",
    )


def _competitors(ctx: Context, session: Session) -> list[dict[str, Any]]:
    """Observed competitors, best first per board, each system once; boards that were never read keep what was declared."""
    ours = identities(ctx.ours)
    rows: list[dict[str, Any]] = []
    for board in ctx.boards:
        found = snapshots.ranking(session=session, project=ctx.project, board=board.name)
        if found is None:
            declared = [c for c in ctx.config.registry.competitors if c.source == board.name]
            rows += [c.model_dump() for c in declared]
            continue
        fetched_at, ranked = found
        names = {identity(other): name for other, name in board.canonical_names.items()}
        best: dict[str, float] = {}
        for system, score in ranked:
            if identity(system) not in ours:
                best.setdefault(names.get(identity(system), system), score)
        rows += [
            {
                "name": name,
                "latest_score": score,
                "source": board.name,
                "last_updated": fetched_at.date(),
            }
            for name, score in list(best.items())[:MOST_COMPETITORS]
        ]
    return rows


def _current_scores(ctx: Context, session: Session) -> dict[str, float]:
    """Our scores: as the board shows them, else as expected of production, else as declared."""
    current = production.current(session=session, project=ctx.project)
    scores = dict(ctx.config.registry.our_solution.current_scores)
    scores.update(in_board_units(ctx, session, current.candidate.scores) if current else {})
    for board in ctx.boards:
        history = board_history.history(session=session, project=ctx.project, board=board.name, limit=1)
        if history and history[-1].standing.our_score is not None:
            scores[board.name] = history[-1].standing.our_score
    return {name: score for name, score in scores.items() if any(b.name == name for b in ctx.boards)}
