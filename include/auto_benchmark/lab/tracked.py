"""Attempts as MLflow runs: into the journal of the project as soon as each has ended, to the server when it answers.

An attempt that is noted twice is one run: its name, its times and its values are the same each time.
"""

from __future__ import annotations

from auto_benchmark.lab.plan import Plan
from auto_benchmark.lab.run_folder import TRAJECTORY, Finished, RunFolder
from auto_benchmark.project import tracking
from auto_benchmark.project.bench import short_hash
from auto_benchmark.project.context import Context
from auto_benchmark.tracking.trial_run import TrialRun

STAGE, PURPOSE = "attempt", "lab"


def note(ctx: Context, plan: Plan, folder: RunFolder, attempt: Finished) -> None:
    """Write a finished attempt into the journal; no server is needed."""
    tracking.keep(ctx, described(ctx, plan, folder, attempt))


def described(ctx: Context, plan: Plan, folder: RunFolder, attempt: Finished) -> TrialRun:
    """A finished attempt as the tracker takes it. What belongs together is the run's folder below the home."""
    place = folder.path.relative_to(ctx.home.resolve()).as_posix()
    ended = folder.path / TRAJECTORY / f"{attempt.attempt}.json"
    finished_ms = int(ended.stat().st_mtime * 1000)
    metrics = {"reward": attempt.reward, "seconds": attempt.seconds, "measures": attempt.measures,
               "tokens": attempt.tokens, "money": attempt.money}  # fmt: skip
    return TrialRun(
        project=ctx.project,
        name=f"lab-{short_hash(ctx.trial_name_prefix, place)}-{attempt.attempt}",
        experiment=place,
        state="done" if attempt.valid else "failed",
        task=ctx.settings.airflow_task(),
        message=attempt.reason,
        params={"task": plan.task, "agent": plan.agent, "feedback": str(plan.feedback), "attempt": attempt.attempt},
        seed=attempt.seed or 0,
        stage=STAGE,
        purpose=PURPOSE,
        config_hash="",
        metrics=metrics if attempt.score is None else {**metrics, "score": attempt.score},
        started_ms=max(0, finished_ms - int(attempt.seconds * 1000)),
        finished_ms=finished_ms,
        folder=str(folder.path / TRAJECTORY),
    )
