"""Writes what a sweep found: report, plots, tables."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from auto_benchmark.artifacts.sweep_folder import SPEC, SweepFolder
from auto_benchmark.documents import to_yaml
from auto_benchmark.grid.comparison import BaselineComparison, compare
from auto_benchmark.grid.outcome import RunOutcome, split_uses
from auto_benchmark.grid.table import Ranking, rankings
from auto_benchmark.project.configuration import shown
from auto_benchmark.reporting.benchmark_report import BenchmarkReport, render_report
from auto_benchmark.reporting.plots import score_intervals, scores_over_time
from auto_benchmark.reporting.spreadsheet import cell
from auto_benchmark.settings import Settings
from auto_benchmark.sweeps.setup import Sweep

REPORT, SCORES, OVER_TIME = "BENCHMARK_REPORT.md", "scores.png", "scores_over_time.png"


def write_report(
    settings: Settings, sweep: Sweep, folder: SweepFolder, outcomes: Sequence[RunOutcome], say: Callable[[str], None]
) -> dict[str, Any]:
    """Write every file of the report and summarise it for the caller."""
    ordered = sorted(outcomes, key=lambda o: (o.finished_at, o.run.id))
    found = rankings(sweep.spec, ordered)
    comparisons = [compare(sweep.spec, ranking, ordered) for ranking in found]
    report = BenchmarkReport(
        spec=sweep.spec,
        task="; ".join(dict.fromkeys(b.benchmark.benchmark.task for b in sweep.benches.values())),
        date=(ordered[-1].finished_at if ordered else datetime.now(UTC)).astimezone(UTC).date(),
        rankings=found,
        comparisons=comparisons,
        outcomes=ordered,
        planned=len(sweep.runs),
        configurations={name: to_yaml(dict(params)) for name, params in sweep.params.items()},
        solution=sweep.solution.solution.name,
        command=f"python -m auto_benchmark sweep run {shown(sweep.file)} --out {shown(folder.path)}",
        spec_copy=SPEC,
        plots=(SCORES, OVER_TIME),
        checksums={task: bench.data.digest(task.rpartition("/")[2]) for task, bench in sweep.benches.items()},
        not_isolated=next(iter(sweep.benches.values())).runner.not_isolated,
        exports=_exports(settings),
        changes=_changes(sweep),
    )
    folder.write(SCORES, score_intervals(found, sweep.spec.metrics.primary))
    folder.write(OVER_TIME, scores_over_time(ordered, sweep.spec.metrics))
    folder.write("results.csv", _table(sweep, ordered))
    folder.write("environment.txt", _environment())
    summary = _summary(sweep, ordered, found, comparisons)
    folder.write("summary.json", json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    path = folder.write(REPORT, render_report(report))
    for outcome in ordered:
        if not outcome.is_done:
            last = outcome.failed_attempts[-1]
            say(f"failed: {outcome.run.id}: {last.failure}: {last.message}")
    say(f"report: {shown(path)}")
    return {**summary, "report": str(path)}


def _exports(settings: Settings) -> list[tuple[str, str]]:
    """Environment variables that say where the project's folders are, as far as they are not at their usual place."""
    usual = Settings.model_fields
    elsewhere = [
        (f"AUTO_BENCHMARK_{name.upper()}", shlex.quote(shown(getattr(settings, name))))
        for name in ("config", "benchmarks", "solutions")
        if getattr(settings, name) != usual[name].default
    ]
    return [("PYTHONPATH", "include"), *elsewhere]


def _changes(sweep: Sweep) -> dict[str, list[str]]:
    baseline = sweep.params[sweep.spec.baseline_name]
    return {
        name: [f"{knob}: {value}" for knob, value in params.items() if baseline.get(knob) != value]
        for name, params in sweep.params.items()
        if name != sweep.spec.baseline_name
    }


def _summary(
    sweep: Sweep,
    outcomes: Sequence[RunOutcome],
    found: Sequence[Ranking],
    comparisons: Sequence[list[BaselineComparison]],
) -> dict[str, Any]:
    done = sum(o.is_done for o in outcomes)
    return {
        "name": sweep.spec.name,
        "runs": len(sweep.runs),
        "done": done,
        "failed": len(outcomes) - done,
        "waiting": len(sweep.runs) - len(outcomes),
        "split_uses": split_uses(outcomes),
        "rankings": [asdict(ranking) for ranking in found],
        "comparisons": [[asdict(c) for c in family] for family in comparisons],
    }


def _table(sweep: Sweep, outcomes: Sequence[RunOutcome]) -> str:
    """Every run of every seed, failed ones too."""
    names = sorted({name for o in outcomes for name in o.metrics})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    head = ["run_id", "configuration", "seed", "task", "state", "attempts", "finished_at"]
    writer.writerow([*head, *map(cell, names)])
    by_id = {o.run.id: o for o in outcomes}
    for run in sweep.runs:
        o = by_id.get(run.id)
        start = [cell(run.id), cell(run.configuration.name), run.seed, cell(run.dataset.task)]
        if o is None:
            writer.writerow([*start, "not run", 0, "", *("" for _ in names)])
            continue
        state = "done" if o.is_done else "failed"
        values = [o.metrics.get(name, "") for name in names]
        writer.writerow([*start, state, o.attempts, o.finished_at.isoformat(), *values])
    return text.getvalue()


def _environment() -> str:
    """Installed distributions with their versions, one a line, as pip would freeze them."""
    found = {d.metadata["Name"]: d.version for d in metadata.distributions() if d.metadata["Name"]}
    return "".join(f"{name}=={version}\n" for name, version in sorted(found.items(), key=lambda p: p[0].lower()))
