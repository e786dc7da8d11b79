"""A benchmark that follows a saturated board becomes the project's new hill: published, its board followed and measured."""

from __future__ import annotations

import os
from typing import Any

from auto_benchmark.construction.in_project import FOLDER
from auto_benchmark.construction.publish import BOARD_FILE, Published, publish
from auto_benchmark.db.repositories import records
from auto_benchmark.experiments.trials.doctor import examine
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.adopted_boards import adopt as follow
from auto_benchmark.project.bench import make_bench
from auto_benchmark.project.configuration import load_benchmark, project_directory
from auto_benchmark.project.context import Context, make_context
from auto_benchmark.project.current_config import production_config
from auto_benchmark.project.reconcile import reconcile
from auto_benchmark.project.solution_code import bench_on
from auto_benchmark.registry.leaderboard import Leaderboard


def adopt(ctx: Context, folder: str, follows: str) -> dict[str, Any]:
    """Publish a construction of the project and follow its board.

    The loop measures itself on the new benchmark from then on, if production's code can answer it; where it cannot, the
    board is watched, and the log says why.

    Returns:
        ``{"board", "benchmark", "measured"}``.

    Raises:
        InputError, RefusedError: as :func:`publish`.
    """
    made = publish(ctx.settings, ctx.home / FOLDER / folder)
    declared = ctx.config.registry.our_solution.benchmark
    fault = _fault(ctx, made.benchmark)
    board = _board(ctx, made, measured=fault is None)
    follow(ctx.settings, ctx.project, board)
    why_not = f"production cannot answer it: {fault}" if fault is not None else None
    if fault is None and declared not in {None, made.benchmark}:
        why_not = f"the registry declares our_solution.benchmark: {declared}"
    what = "the loop works on it now" if why_not is None else f"watched only, {why_not}"
    with ctx.sessions.begin() as session:
        records.log(
            session=session, project=ctx.project, key=f"{LogKind.ADOPTION}/{board.name}/{follows}", kind=LogKind.ADOPTION,
            subject=board.name, reason=f"it follows {follows}, which is saturated; {what}",
            inputs={"board": board.name, "follows": follows, "benchmark": made.benchmark},
        )  # fmt: skip
    reconcile(make_context(ctx.settings, ctx.sessions, ctx.connections, project=ctx.project, say=ctx.say))
    return {"board": board.name, "benchmark": made.benchmark, "measured": why_not is None}


def _fault(ctx: Context, benchmark: str) -> str | None:
    """Why production cannot be measured on a benchmark, in the doctor's words; None where it can."""
    bench = make_bench(
        ctx.settings, ctx.config.solution, rates=ctx.bench.rates, benchmark=load_benchmark(ctx.settings, benchmark)
    )
    with ctx.sessions() as session:
        current = production_config(ctx, session).candidate
    found = examine(bench_on(bench, current.tree), params=current.params)
    return next((finding.text for finding in found if not finding.ok), None)


def _board(ctx: Context, made: Published, *, measured: bool) -> Leaderboard:
    """The board as the project follows it: its address as seen from the project's registry."""
    address = os.path.relpath(made.folder / BOARD_FILE, project_directory(ctx.settings, ctx.project))
    row = {**made.row, "url": address}
    return Leaderboard.model_validate(row if measured else {k: v for k, v in row.items() if k != "benchmark"})
