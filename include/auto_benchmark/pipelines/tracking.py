"""Tells MLflow what happened, outside of trials and after them: journal first, server when it answers.

Each finished trial becomes one file of the journal as soon as it is recorded, which takes no server and no time.
:func:`flush` writes the journal to MLflow and is called where nothing waits: after an experiment and a cycle.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from auto_benchmark import atomic
from auto_benchmark.db.repositories import production
from auto_benchmark.experiments.record import Trial
from auto_benchmark.pipelines.bench import Outcome
from auto_benchmark.pipelines.context import Context
from auto_benchmark.runners.runner import Progress
from auto_benchmark.tracking.mlflow_runs import MlflowRuns, TrackerAwayError
from auto_benchmark.tracking.trial_run import Champion, Point, TrialRun

log = logging.getLogger(__name__)
MOST_POINTS = 5_000
FAULTY = ".faulty"


class Curve:
    """Collects a trial's progress, thinned by halves where it is endless."""

    def __init__(self) -> None:
        self.points: list[Progress] = []
        self._every, self._seen = 1, 0

    def __call__(self, progress: Progress) -> None:
        """Take one report."""
        if self._seen % self._every == 0:
            self.points.append(progress)
        self._seen += 1
        if len(self.points) >= MOST_POINTS:
            self.points, self._every = self.points[::2], self._every * 2


def note(ctx: Context, trial: Trial, outcome: Outcome, curve: Sequence[Progress], started: datetime) -> None:
    """Write a finished trial into the journal."""
    plan = trial.plan
    run = TrialRun(
        project=ctx.project,
        name=ctx.trial_name(trial.id),
        experiment=outcome.folder.parent.relative_to(ctx.home / "experiments" / "results").as_posix(),
        state=str(outcome.state),
        failure=outcome.failure,
        message=outcome.message,
        params=plan.params,
        seed=plan.seed,
        stage=plan.stage,
        purpose=plan.purpose,
        config_hash=plan.config_hash,
        metrics={k: v for k, v in {**outcome.metrics, "wall_s": outcome.wall_s}.items() if math.isfinite(v)},
        curve=[Point(step=p.step, metrics=dict(p.metrics)) for p in curve],
        fingerprint=dict(outcome.fingerprint),
        cost=outcome.cost,
        started_ms=int(started.timestamp() * 1000),
        finished_ms=int(ctx.now().timestamp() * 1000),
        folder=str(outcome.folder.resolve()),
    )
    atomic.write_text(journal(ctx) / f"{run.name}.json", run.model_dump_json())


def journal(ctx: Context) -> Path:
    """Where trials wait for the tracker."""
    return ctx.home / "tracking"


def flush(ctx: Context) -> dict[str, Any]:
    """Write everything that waits to MLflow; never raises for MLflow's sake.

    Returns:
        ``{"written", "waiting", "reason"}``; what waits is written by a later call.
    """
    files = sorted(journal(ctx).glob("*.json"), key=lambda file: file.stat().st_mtime)
    if ctx.settings.mlflow_url is None:
        return {"written": 0, "waiting": len(files), "reason": "AUTO_BENCHMARK_MLFLOW_URL is not set"}
    written = 0
    try:
        runs = MlflowRuns(ctx.settings.mlflow_url)
        for file in files:
            if trial := _read(file):
                runs.write(trial)
                file.unlink(missing_ok=True)
                written += 1
        if champion := _champion(ctx):
            runs.crown(champion)
    except TrackerAwayError as error:
        log.warning("MLflow: %s", error)
        return {"written": written, "waiting": len(files) - written, "reason": str(error)}
    return {"written": written, "waiting": 0, "reason": ""}


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
        solution=candidate.solution,
        config_hash=current.config_hash,
        production_id=current.id,
        hypothesis_id=candidate.hypothesis_id,
        reason=candidate.reason,
    )
