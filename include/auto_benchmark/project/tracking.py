"""Tells MLflow what happened, outside of trials: journal first, server when it answers.

Each finished trial becomes one file of the journal as soon as it is recorded, which takes no server and no time.
:func:`flush` writes the journal to MLflow and is called where nothing waits: after an experiment and a cycle, and by
``reconcile``. A run that was opened while its trial trained has a mark in the journal until it is closed.
"""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from auto_benchmark import atomic
from auto_benchmark.contract.record import Trial, identity
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.db.repositories import locks, production, trials
from auto_benchmark.project.bench import TrialOutcome
from auto_benchmark.project.context import Context
from auto_benchmark.runners.runner import ProgressLine, RunResult
from auto_benchmark.tracking.mlflow_errors import RunRefusedError, TrackerAwayError
from auto_benchmark.tracking.mlflow_runs import MlflowRuns
from auto_benchmark.tracking.trial_run import Champion, Point, TrialRun

log = logging.getLogger(__name__)
FAULTY, OPEN, REFUSED = ".faulty", ".open", ".refused"
MOST_FAILURES = 3
"""In a row: each may wait for its timeout."""
LEFT_S = 600.0
"""A trial that waits in the journal for longer was left by a sweep that ended without telling, or MLflow was away."""


@dataclass(frozen=True, slots=True)
class Process:
    """One process of a claimed trial: its number, when it started, and the progress that it reported."""

    number: int
    started: datetime
    curve: Sequence[ProgressLine]


def note(ctx: Context, trial: Trial, outcome: TrialOutcome, process: Process) -> None:
    """Write a finished trial into the journal."""
    run = describe(
        ctx,
        trial,
        outcome.folder,
        process,
        state=str(outcome.state),
        failure=outcome.failure,
        message=outcome.message,
        metrics={k: v for k, v in {**outcome.metrics, **outcome.measured}.items() if math.isfinite(v)},
        curve=points(process.curve),
        fingerprint=dict(outcome.fingerprint),
        cost=outcome.cost,
        finished_ms=int(ctx.now().timestamp() * 1000),
    )
    keep(ctx, run)
    (journal(ctx) / f"{run.name}{OPEN}").unlink(missing_ok=True)


def keep(ctx: Context, run: TrialRun) -> None:
    """Write a run that has ended into the journal; one of the same name that still waits is replaced."""
    atomic.write_text(journal(ctx) / f"{run.name}.json", run.model_dump_json())


def note_failure(ctx: Context, trial: Trial, folder: Path, process: Process, result: RunResult) -> None:
    """Write a process that failed, and after which the trial is tried again, into the journal."""
    run = describe(
        ctx,
        trial,
        folder,
        process,
        state=str(TrialState.FAILED),
        failure=result.failure,
        message=result.message,
        metrics={"wall_s": result.wall_s},
        curve=points(process.curve),
        finished_ms=int(ctx.now().timestamp() * 1000),
    )
    atomic.write_text(journal(ctx) / f"{run.name}.{trial.attempts}-{process.number}.json", run.model_dump_json())


def describe(ctx: Context, trial: Trial, folder: Path, process: Process, **more: Any) -> TrialRun:
    """A trial for the tracker; ``more`` is what its end adds."""
    plan = trial.plan
    return TrialRun(
        project=ctx.project,
        name=ctx.trial_name(trial.id),
        experiment=folder.parent.relative_to(ctx.home / "experiments" / "results").as_posix(),
        attempt=trial.attempts,
        process=process.number,
        task=ctx.settings.airflow_task(),
        params=plan.params,
        seed=plan.seed,
        stage=plan.stage,
        purpose=plan.purpose,
        config_hash=plan.identity,
        started_ms=int(process.started.timestamp() * 1000),
        folder=str(folder.resolve()),
        **more,
    )


def points(curve: Sequence[ProgressLine]) -> list[Point]:
    """Progress as the tracker takes it."""
    return [Point(step=p.step, metrics=dict(p.metrics)) for p in curve]


def journal(ctx: Context) -> Path:
    """Where trials wait for the tracker."""
    return ctx.home / "tracking"


def flush(ctx: Context) -> dict[str, Any]:
    """Write everything that waits to MLflow; never raises for MLflow's sake.

    A run that MLflow refuses is set aside and keeps no other from being written; one that it does not answer to waits.
    After :data:`MOST_FAILURES` without an answer MLflow counts as away.

    Returns:
        ``{"written", "waiting", "reason"}``; what waits is written by a later call.
    """
    files = [file for _, file in sorted(_waiting(ctx))]
    if ctx.settings.mlflow_url is None:
        return _told(0, files, "AUTO_BENCHMARK_MLFLOW_URL is not set")
    with ctx.sessions() as session:
        if not locks.try_lock(session=session, project=ctx.project, what="tracking"):
            return _told(0, files, "another task writes to MLflow")
        try:
            runs = MlflowRuns(ctx.settings.mlflow_url)
        except TrackerAwayError as error:
            log.warning("MLflow: %s", error)
            return _told(0, files, str(error))
        written, left, reasons = _written(runs, files)
        if not left:
            reasons += _closed(ctx, runs)
    return _told(written, left, "; ".join(reasons))


def _written(runs: MlflowRuns, files: Sequence[Path]) -> tuple[int, list[Path], list[str]]:
    """Tell the files one by one: how many were written, which wait, and why."""
    written, left, reasons, failures = 0, list[Path](), list[str](), 0
    for file in files:
        if failures == MOST_FAILURES:
            left.append(file)
            continue
        try:
            if trial := _read(file):
                runs.write(trial)
                file.unlink(missing_ok=True)
                written += 1
            failures = 0
        except RunRefusedError as error:
            log.warning("MLflow refuses %s, which is set aside: %s", file.name, error)
            file.replace(file.with_suffix(REFUSED))
            reasons.append(f"refused: {error}")
        except TrackerAwayError as error:
            log.warning("MLflow: %s", error)
            left.append(file)
            reasons.append(str(error))
            failures += 1
    return written, left, reasons


def _closed(ctx: Context, runs: MlflowRuns) -> list[str]:
    """Close what dead workers left open, and name the champion; returns why something of it could not be done."""
    try:
        for mark in _abandoned(ctx):
            runs.abandon(ctx.project, mark.stem)
            mark.unlink(missing_ok=True)
        if champion := _champion(ctx):
            runs.crown(champion)
    except (TrackerAwayError, RunRefusedError) as error:
        log.warning("MLflow: %s", error)
        return [str(error)]
    return []


def _waiting(ctx: Context) -> Iterator[tuple[float, Path]]:
    """When each file of the journal was written, and the file; another task may take them away meanwhile."""
    for file in journal(ctx).glob("*.json"):
        with contextlib.suppress(FileNotFoundError):
            yield file.stat().st_mtime, file


def _told(written: int, left: Sequence[Path], reason: str) -> dict[str, Any]:
    return {"written": written, "waiting": len(left), "reason": reason}


def flush_what_was_left(ctx: Context) -> None:
    """:func:`flush`, where a run was abandoned or a trial waits for long: telling MLflow takes seconds.

    What trials of a sweep that runs right now have written is left to the end of that sweep.
    """
    old = ctx.now().timestamp() - LEFT_S
    if any(written < old for written, _ in _waiting(ctx)) or _abandoned(ctx):
        flush(ctx)


def _abandoned(ctx: Context) -> list[Path]:
    """Marks of runs that were opened for trials on which no worker is any more."""
    marks = list(journal(ctx).glob(f"*{OPEN}"))
    if not marks:
        return []
    with ctx.sessions() as session:
        held = {ctx.trial_name(i) for i in trials.held(session=session, project=ctx.project, now=ctx.now())}
    return [mark for mark in marks if mark.stem not in held]


def _read(file: Path) -> TrialRun | None:
    try:
        return TrialRun.model_validate_json(file.read_text(encoding="utf-8"))
    except (ValidationError, ValueError, OSError) as error:
        log.warning("%s is set aside: %s", file, error)
        if file.exists():
            file.replace(file.with_suffix(FAULTY))
        return None


def _champion(ctx: Context) -> Champion | None:
    with ctx.sessions() as session:
        current = production.current(session=session, project=ctx.project)
    if current is None:
        return None
    candidate = current.candidate
    return Champion(
        project=ctx.project,
        origin=ctx.trial_name_prefix,
        solution=candidate.solution,
        config_hash=identity(current.config_hash, candidate.tree),
        production_id=current.id,
        hypothesis_id=candidate.hypothesis_id,
        reason=candidate.reason,
    )
