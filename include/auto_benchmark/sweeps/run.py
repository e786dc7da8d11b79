"""``benchmark_sweep``: configurations x seeds x tasks -> ``BENCHMARK_REPORT.md``.

Files only, but for the count of a project's uses of a split. Finished runs are never repeated: same spec and directory
resume after any kind of end.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from auto_benchmark.artifacts.sweep_folder import SweepFolder
from auto_benchmark.db.repositories import split_queries
from auto_benchmark.errors import InputError
from auto_benchmark.project.configuration import project_directory, shown
from auto_benchmark.project.context import Context
from auto_benchmark.runners import RUNNERS
from auto_benchmark.settings import Settings
from auto_benchmark.sweeps.execution import Execution, Say
from auto_benchmark.sweeps.report import write_report
from auto_benchmark.sweeps.setup import load_sweep


def run(
    settings: Settings,
    file: Path,
    out: Path,
    *,
    say: Say = lambda _: None,
    runners: Collection[str] = RUNNERS,
) -> dict[str, Any]:
    """Run or resume a sweep to its end on one of ``runners``, and write the report.

    Returns:
        ``{"name", "runs", "done", "failed", "waiting", "report", "rankings": [...], "comparisons": [...],
        "split_uses": [{"benchmark", "version", "split", "queries"}]}``.

    Raises:
        ConfigError: for a faulty spec.
        RefusedError: the directory is in use, or belongs to another sweep.
    """
    sweep = load_sweep(settings, file, runners=runners)
    folder = SweepFolder(out)
    with folder.locked():
        folder.belongs_to(sweep.identity, file.read_bytes())
        outcomes = Execution(sweep, folder, say, settings.parallel_trials).run()
        return write_report(settings, sweep, folder, outcomes, say)


def run_in_project(ctx: Context, *, spec: str, out: str = "") -> dict[str, Any]:
    """:func:`run` for a project: ``spec`` lies in its configuration folder, results in its home, unless absolute.

    Returns:
        ``{"name", "runs", "done", "failed", "report"}``.
    """
    file = project_directory(ctx.settings, ctx.project) / spec
    if not file.is_file():
        raise InputError(f"no sweep spec {shown(file)}")
    told = run(ctx.settings, file, ctx.home / "sweeps" / (out or file.stem), say=ctx.say)
    with ctx.sessions.begin() as session:
        for use in told["split_uses"]:
            split_queries.set_total(session=session, project=ctx.project, purpose=f"sweep {out or file.stem}", **use)
    return {name: told[name] for name in ("name", "runs", "done", "failed", "report")}
